// A page of the tests: drawn matrices, fed by the engine, and a record of what they
// have fired. A test says what to show by calling `matrices.show()`.

import { css, html, LitElement } from 'lit'
import { type Attention, loadAttention, type Problem } from '../../../web/src/engine/index.ts'
import { defineMatrices } from '../../../web/src/lab/matrix/index.ts'
import { type Matrix, matrixOf, type Stage } from '../../../web/src/lab/model/stage.ts'
import { palette } from '../../../web/src/lab/theme.ts'
import { matrix as vectorsOf } from '../../../web/src/lab/vectors.ts'

class MatrixHost extends LitElement {
  static override styles = [
    palette,
    css`
      :host {
        display: block;
        padding: 12px;
        color: var(--ink);
        background: var(--surface);
        font-size: 14px;
      }
    `,
  ]

  override render() {
    return html`<div></div>`
  }
}

defineMatrices()
customElements.define('matrix-host', MatrixHost)

export interface Question {
  readonly tokens: readonly string[]
  readonly queryHeads?: number
  readonly kvHeads?: number
  readonly headDim?: number
  /** What else the problem says. */
  readonly problem?: Partial<Problem>
}

type Traced = 'dots' | 'scores' | 'capped' | 'masked' | 'weights'

/** A stage of the engine's trace, the tokens' vectors as queries, keys and values. */
function traced(
  engine: Attention,
  { tokens, queryHeads = 1, kvHeads = queryHeads, headDim = 3, problem }: Question,
  name: Traced,
): Stage {
  const count = tokens.length
  const k = vectorsOf(tokens, kvHeads * headDim)
  const trace = engine.trace({
    q: vectorsOf(tokens, queryHeads * headDim),
    k,
    v: k,
    layout: 'bthd',
    queryHeads,
    kvHeads,
    queries: count,
    keys: count,
    headDim,
    scale: 1,
    ...problem,
  })
  const hides = name === 'masked' || name === 'weights'
  return {
    name,
    axes: ['B', 'Hq', 'T', 'S'],
    shape: [1, queryHeads, count, count],
    strides: [queryHeads * count * count, count * count, count, 1],
    values: trace[name],
    ...(hides ? { hiddenBy: trace.hiddenBy, hiddenNames: engine.hiddenReasons } : {}),
  }
}

/** A stage of given numbers, for what no computation gives. */
function given(rows: number, columns: number, values: readonly number[], rest: Partial<Stage> = {}): Stage {
  return {
    name: 'weights',
    axes: ['T', 'S'],
    shape: [rows, columns],
    strides: [columns, 1],
    values: Float32Array.from(values),
    ...rest,
  }
}

interface Fired {
  readonly type: string
  readonly detail: unknown
}

const engine = await loadAttention({ workers: 0 })
const root = document.querySelector('matrix-host')?.shadowRoot?.querySelector('div') as HTMLElement

export interface Harness {
  fired: Fired[]
  traced(question: Question, name: Traced): Stage
  given: typeof given
  matrixOf: (stage: Stage, leading?: readonly number[]) => Matrix
  /** Puts an element with these properties in the place of what was there. */
  show(element: string, properties: Record<string, unknown>): Promise<HTMLElement>
}

const harness: Harness = {
  fired: [],
  traced: (question, name) => traced(engine, question, name),
  given,
  matrixOf: (stage, leading = stage.shape.slice(0, -2).map(() => 0)) => matrixOf(stage, leading),
  async show(name, properties) {
    const element = document.createElement(name)
    Object.assign(element, properties)
    root.replaceChildren(element)
    await (element as LitElement).updateComplete
    // The colours are known after the first rendering, and drawn in the second.
    await (element as LitElement).updateComplete
    return element
  },
}
for (const type of ['point', 'pick', 'free', 'paint', 'edit', 'head']) {
  document.addEventListener(type, (event) => harness.fired.push({ type, detail: (event as CustomEvent).detail }))
}

Object.assign(window, { matrices: harness })
