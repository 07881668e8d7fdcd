// <attention-playground>: holds the state, asks the engine, hands the answer to its
// parts. It is given an engine and loads none.

import { css, html, LitElement, nothing, type PropertyValues } from 'lit'
import type { Attention, CellRecord, Cells } from '../engine/index.ts'
import type { SettingDetail } from './attention-field.ts'
import type { StageCell } from './attention-stage.ts'
import type { FormatName, Tool } from './attention-toolbar.ts'
import type { Range } from './matrix/range.ts'
import { drawn, headAt, sourcesBehind } from './model/chain.ts'
import { type Comparison, compareCached } from './model/decoding.ts'
import { at } from './model/field.ts'
import { changed as afterChange, begin, type History, redone, undone } from './model/history.ts'
import { fromText, linkOf, readLink } from './model/link.ts'
import { type OtherWeights, weightsBy } from './model/other-engine.ts'
import { NotRecorded } from './model/recorded.ts'
import { isPrompt, type Question, questionOf, type Scene, sceneFrom } from './model/scene.ts'
import { countOf } from './model/settings.ts'
import type { StageName } from './model/stage.ts'
import { agree, attributeOf, type EditsName, type Name, names, type State, start, written } from './model/state.ts'
import { rangeOfStage } from './stage-look.ts'
import { base, palette } from './theme.ts'
import { labWords as words } from './words/lab.ts'

/** How long the controls must rest before a change is read out. */
const restMs = 500
/** From this width on all stages stand beside each other, and three columns below them. */
const wideAt = 1080

/** Fields that say what is looked at; they change no number. */
const looks: ReadonlySet<Name> = new Set(['stage', 'sequence', 'head', 'heads', 'weightsBy', 'cell', 'locked'])

const byAttribute = new Map(names.map((name) => [attributeOf(name), name]))

/**
 * A layer of attention, from tokens to output, in which everything can be changed.
 * Every field of the state (model/state.ts) is an attribute, such as `query-heads`;
 * attributes say where the lesson starts, and Reset goes back there.
 *
 * @fires {CustomEvent<string>} change - After a change: the state's link, as `link` has it. Bubbles.
 */
export class AttentionPlayground extends LitElement {
  static override properties = {
    engine: { attribute: false },
    first: { attribute: false },
    failure: { attribute: false },
    address: { attribute: false },
    loadGpu: { attribute: false },
    other: { state: true },
    history: { state: true },
    pointed: { state: true },
    complaints: { state: true },
    announcement: { state: true },
    told: { state: true },
    room: { state: true },
    busy: { state: true },
  }
  /** The core that computes every number. */
  declare engine: Attention | undefined
  /** What stands in for the engine until it comes, with answers to the first questions (model/recorded.ts). */
  declare first: Attention | undefined
  /** Why there is no engine, as a sentence. */
  declare failure: string | undefined
  /** The address that a link to a state begins with; without it, sharing gives a tag. */
  declare address: string | undefined
  /** Loads an engine that computes on the graphics card; without it there is no such choice. */
  declare loadGpu: (() => Promise<Attention>) | undefined
  /** The weights as another engine has computed them, if one was asked. */
  declare other: OtherWeights | undefined
  declare history: History
  declare pointed: StageCell | undefined
  declare complaints: readonly string[]
  declare announcement: string
  /** What sharing has to say. */
  declare told: { readonly text: string; readonly copy?: string } | undefined
  declare room: number
  /** Whether a worker is computing. */
  declare busy: boolean

  #lesson: State = start
  #attributeComplaints = new Map<string, string>()
  #scene: Scene | undefined
  #gpu: Promise<Attention> | undefined
  #waiting: Question | undefined
  #ranges: ReadonlyMap<StageName, Range> = new Map()
  #comparison: Comparison | undefined
  #refusal: string | undefined
  #record: CellRecord | undefined
  #announcing: ReturnType<typeof setTimeout> | undefined

  static override get observedAttributes() {
    // biome-ignore lint/complexity/noThisInStatic: Lit's getter has to be asked of this class.
    return [...super.observedAttributes, ...byAttribute.keys()]
  }

  static override styles = [
    palette,
    base,
    css`
      :host {
        container: widget / inline-size;
        position: relative;
        color: var(--ink);
        font-size: var(--text);
        line-height: 1.5;
      }
      .widget {
        display: grid;
        grid-template-columns: minmax(0, 1fr);
        gap: var(--space-3);
        padding: var(--space-3);
        background: var(--surface);
        border: 1px solid var(--line);
        border-radius: 12px;
      }
      .head {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        justify-content: space-between;
        gap: var(--space-2) var(--space-4);
      }
      .engine {
        font-size: var(--text-small);
      }
      attention-strip {
        border-block: 1px solid var(--line);
        padding-block: var(--space-1);
        min-width: 0;
      }
      .body {
        display: grid;
        grid-template: 'stage' 'card' 'controls' 'rules' / minmax(0, 1fr);
        gap: var(--space-5);
      }
      .stage {
        grid-area: stage;
        min-width: 0;
        min-height: 21rem;
      }
      /* As high as it gets, so that what is below stays put while one points about: a
         button that moves between press and release is not clicked. */
      .card {
        grid-area: card;
        min-height: 32rem;
      }
      attention-controls {
        grid-area: controls;
      }
      attention-rules {
        grid-area: rules;
      }
      .legend {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        justify-content: space-between;
        gap: var(--space-2) var(--space-4);
        margin-top: var(--space-3);
      }
      .refusal {
        color: var(--key);
        overflow-wrap: anywhere;
      }
      .copy {
        width: 100%;
        font: inherit;
        font-size: var(--text-small);
      }
      @container widget (min-width: 640px) {
        .widget {
          padding: var(--space-4) var(--space-5);
        }
        .body {
          grid-template: 'stage stage' 'card card' 'controls rules' / minmax(0, 1fr) minmax(0, 1fr);
        }
      }
      @container widget (min-width: 1080px) {
        .body {
          grid-template: 'controls stage card' min-content 'controls stage rules' 1fr / 16.5rem minmax(0, 1fr) 22rem;
          gap: var(--space-4) var(--space-5);
        }
      }
      @media print {
        attention-toolbar,
        attention-controls {
          display: none;
        }
      }
    `,
  ]

  readonly #observer = new ResizeObserver(([entry]) => {
    if (entry) this.room = entry.contentRect.width
  })

  constructor() {
    super()
    this.history = begin(start)
    this.complaints = []
    this.announcement = ''
    this.room = 0
    this.busy = false
    for (const name of names) {
      // A property that the page set before the element was defined.
      if (Object.hasOwn(this, name)) {
        const value = (this as unknown as State)[name]
        delete (this as { [N in Name]?: unknown })[name]
        this.#begin({ ...this.#lesson, [name]: value })
      }
    }
  }

  override connectedCallback() {
    super.connectedCallback()
    this.room = this.getBoundingClientRect().width
    this.#observer.observe(this)
  }

  override disconnectedCallback() {
    super.disconnectedCallback()
    this.#observer.disconnect()
    clearTimeout(this.#announcing)
  }

  override attributeChangedCallback(attribute: string, old: string | null, text: string | null) {
    super.attributeChangedCallback(attribute, old, text)
    const name = byAttribute.get(attribute)
    if (name === undefined) return
    const read = text === null ? { value: start[name] } : fromText(name, text)
    this.#attributeComplaints.delete(attribute)
    if (read.refusal !== undefined) this.#attributeComplaints.set(attribute, read.refusal)
    this.complaints = [...this.#attributeComplaints.values()]
    this.#begin({ ...this.#lesson, [name]: read.refusal === undefined ? read.value : start[name] } as State)
  }

  /** The lesson starts elsewhere; what a person has changed since stays changed. */
  #begin(lesson: State) {
    const link = linkOf(this.state, this.#lesson)
    this.#lesson = lesson
    this.history = begin(readLink(link, lesson).state)
  }

  get state(): State {
    return this.history.now.state
  }

  /** The state as the query of an address, without its question mark: what differs from the lesson's start. */
  get link(): string {
    return linkOf(this.state, this.#lesson)
  }

  set link(query: string) {
    const { state, complaints } = readLink(query, this.#lesson)
    this.complaints = [...this.#attributeComplaints.values(), ...complaints]
    this.history = begin(state)
  }

  /** Changes fields of the state, as one step that can be undone. */
  change(changes: Partial<State>) {
    this.#take(afterChange(this.history, { ...this.state, ...changes }, performance.now()))
  }

  #take(history: History) {
    this.history = history
    this.told = undefined
    this.dispatchEvent(new CustomEvent('change', { detail: this.link, bubbles: true }))
    clearTimeout(this.#announcing)
    this.#announcing = setTimeout(() => {
      this.announcement = words.announce(this.state, this.#scene?.settings.tokens.length ?? 0)
    }, restMs)
  }

  protected override willUpdate(changed: PropertyValues) {
    const before = changed.get('history') as History | undefined
    const other = before && !this.#agrees(before.now.state)
    if (before && before.now.state.weightsBy !== this.state.weightsBy) void this.#askOther()
    if (changed.has('engine') || changed.has('first') || (changed.has('history') && (!before || other))) this.#compute()
    this.#inspect()
  }

  #compute() {
    const engine = this.engine ?? this.first
    if (!engine) return
    this.#waiting = undefined
    this.#refusal = undefined
    try {
      const question = questionOf(engine, this.state)
      if (isPrompt(question)) this.#adopt(sceneFrom(question, engine.traceMultiHead(question.layer)))
      else if (this.engine) {
        this.#waiting = question
        void this.#computeAside(this.engine)
      }
    } catch (error) {
      this.#refuse(error)
    }
  }

  /** Large layers are traced in a worker. While one is, only the latest question waits. */
  async #computeAside(engine: Attention) {
    if (this.busy) return
    this.busy = true
    while (this.#waiting) {
      const question = this.#waiting
      this.#waiting = undefined
      try {
        const trace = await engine.traceMultiHeadAside(question.layer)
        if (question.settings.state !== this.state && !this.#agrees(question.settings.state)) continue
        this.#adopt(sceneFrom(question, trace))
      } catch (error) {
        if (this.#agrees(question.settings.state)) this.#refuse(error)
      }
    }
    this.busy = false
  }

  /** Whether a state gives the same numbers as the one that is in force. */
  #agrees(state: State) {
    return names.every((name) => looks.has(name) || agree(name, state, this.state))
  }

  #adopt(scene: Scene) {
    this.#scene = scene
    void this.#askOther()
    this.#ranges = new Map([...scene.stages].map(([name, stage]) => [name, rangeOfStage(stage)]))
    const compared = this.engine && this.state.positions === 'decoding'
    this.#comparison = compared && this.engine ? compareCached(this.engine, scene) : undefined
    this.requestUpdate()
  }

  /** Has the weights computed by the engine that the state names, too; the answer to an old question is dropped. */
  async #askOther() {
    this.other = undefined
    const scene = this.#scene
    if (this.state.weightsBy !== 'webgpu' || !this.loadGpu || !scene) return
    try {
      this.#gpu ??= this.loadGpu()
      const other = await weightsBy(await this.#gpu, scene)
      if (scene === this.#scene && this.state.weightsBy === 'webgpu') this.other = other
    } catch (error) {
      this.told = { text: error instanceof Error ? error.message : String(error) }
    }
  }

  #refuse(error: unknown) {
    this.#scene = undefined
    if (error instanceof NotRecorded) return
    this.#refusal = error instanceof Error ? error.message : String(error)
    this.requestUpdate()
  }

  /** The stage that is looked at; a layer need not have the one that the state names. */
  get #stage(): StageName {
    const { stages } = this.#scene as Scene
    return stages.has(this.state.stage) ? this.state.stage : 'weights'
  }

  /** The cell that the state names, or the nearest one that there is. */
  #chosen(scene: Scene): StageCell {
    const stage = scene.stages.get(this.#stage)
    const [rows = 0, columns = 0] = stage?.shape.slice(-2) ?? []
    const [row = 0, column = 0] = this.state.cell
    const place = { sequence: 0, head: countOf('head', this.state) }
    return {
      stage: this.#stage,
      head: stage ? headAt(stage, place, scene) : 0,
      row: Math.max(Math.min(row, rows - 1), 0),
      column: Math.max(Math.min(column, columns - 1), 0),
    }
  }

  #shown(scene: Scene): StageCell {
    return (this.state.locked ? undefined : this.pointed) ?? this.#chosen(scene)
  }

  #inspect() {
    this.#record = undefined
    const scene = this.#scene
    const engine = this.engine ?? this.first
    if (!scene || !engine) return
    const cell = this.#shown(scene)
    const stage = scene.stages.get(cell.stage)
    if (!stage || stage.shape.includes(0)) return
    const leading = stage.axes.slice(0, -2).map((axis) => (axis === 'B' ? countOf('sequence', this.state) : cell.head))
    if (cell.row >= (stage.shape.at(-2) as number) || cell.column >= (stage.shape.at(-1) as number)) return
    try {
      this.#record = engine.inspect({ ...scene.layer, stage: cell.stage, index: [...leading, cell.row, cell.column] })
    } catch (error) {
      if (!(error instanceof NotRecorded)) throw error
    }
  }

  /** The shown cell as cells of its stage. */
  #target(scene: Scene, { stage: name, head, row, column }: StageCell): Cells | undefined {
    const stage = scene.stages.get(name)
    if (!stage) return undefined
    const leading = stage.axes.slice(0, -2).map((axis) => (axis === 'B' ? countOf('sequence', this.state) : head))
    return { stage: name, index: [...leading, row, column], axis: stage.axes.length - 1, count: 1 }
  }

  override render() {
    return html`
      <div class="widget">
        <h2 class="unseen">${words.title}</h2>
        <div class="head">
          <span class="engine soft">${this.#engineSays()}</span>
          ${
            this.loadGpu
              ? html`<attention-field name="weightsBy" .state=${this.state} @setting=${this.#set}></attention-field>`
              : nothing
          }
          <attention-toolbar
            ?undoable=${this.history.past.length > 0}
            ?redoable=${this.history.future.length > 0}
            ?changed=${this.link !== ''}
            ?link=${this.address !== undefined}
            @tool=${(event: CustomEvent<Tool>) => this.#use(event.detail)}
            @export=${(event: CustomEvent<FormatName>) => this.#export(event.detail)}
          ></attention-toolbar>
        </div>
        ${this.#told()} ${this.complaints.map((sentence) => html`<p class="refusal" role="alert">${sentence}</p>`)}
        ${this.#whole()}
      </div>
      <p class="unseen" role="status">${this.announcement}</p>
    `
  }

  #engineSays() {
    if (this.busy) return words.computing
    if (!this.engine) return nothing
    const { other } = this
    const { simd } = this.engine.info
    return `${words.computedBy(simd)}${other ? words.weightsFrom(other) : ''}`
  }

  #told() {
    if (!this.told) return nothing
    const { text, copy } = this.told
    return html`
      <div role="status">
        <p>${text}</p>
        ${copy === undefined ? nothing : html`<input class="copy" readonly aria-label=${text} .value=${copy} />`}
      </div>
    `
  }

  #whole() {
    const scene = this.other?.scene ?? this.#scene
    const controls = html`
      <attention-controls .state=${this.state} @setting=${this.#set}></attention-controls>
      <attention-rules .state=${this.state} .scene=${scene} @setting=${this.#set}></attention-rules>
    `
    const refusal = this.failure ?? this.#refusal
    if (refusal !== undefined || !scene || scene.settings.keys === 0) {
      const empty = scene ? words.empty : nothing
      const says =
        refusal !== undefined
          ? html`<p class="refusal" role="alert">${refusal}</p>`
          : html`<p class="soft">${empty}</p>`
      return html`<div class="body"><div class="stage">${says}</div>${controls}</div>`
    }
    const shown = this.#shown(scene)
    const sequence = countOf('sequence', this.state)
    const place = { sequence, head: countOf('head', this.state) }
    const sources = this.#record ? sourcesBehind(this.#record, scene) : []
    return html`
      <attention-strip
        .scene=${scene}
        .chosen=${this.#stage}
        .place=${place}
        .ranges=${this.#ranges}
        .cells=${sources}
        .target=${this.#target(scene, shown)}
        ?wide=${this.room >= wideAt}
        .width=${this.room}
        @stage=${(event: CustomEvent<StageName>) => this.#go(event.detail)}
      ></attention-strip>
      <div class="body">
        <div class="stage">
          <attention-stage
            .scene=${scene}
            .stage=${this.#stage}
            .sequence=${sequence}
            .head=${place.head}
            ?all=${this.state.heads === 'all' && this.state.queryHeads > 1}
            .shown=${shown}
            ?locked=${this.state.locked}
            .cells=${sources}
            .ranges=${this.#ranges}
            ?painting=${this.state.painted}
            @stage=${(event: CustomEvent<StageName>) => this.#go(event.detail)}
            @look=${(event: CustomEvent<StageCell | undefined>) => {
              this.pointed = event.detail
            }}
            @choose=${(event: CustomEvent<StageCell>) => this.#choose(event.detail)}
            @free=${this.#free}
            @number=${(event: CustomEvent<StageCell & { value: number }>) => this.#edit(event.detail)}
            @stroke=${(event: CustomEvent<StageCell & { hide: boolean }>) => this.#paint(event.detail)}
            @alone=${(event: CustomEvent<number | undefined>) =>
              this.change(event.detail === undefined ? { heads: 'all' } : { heads: 'one', head: event.detail })}
          ></attention-stage>
          ${this.#below(scene)}
        </div>
        <div class="card">
          <attention-inspector
            .scene=${scene}
            .cell=${shown}
            .sequence=${sequence}
            .record=${this.#record}
            ?locked=${this.state.locked}
          ></attention-inspector>
        </div>
        ${controls}
      </div>
    `
  }

  #below(scene: Scene) {
    const stage = scene.stages.get(this.#stage)
    const place = { sequence: countOf('sequence', this.state), head: countOf('head', this.state) }
    const comparison = this.#comparison
    return html`
      <div class="legend">
        <attention-legend
          .range=${this.#ranges.get(this.#stage) ?? { min: 0, max: 1 }}
          .name=${words.stageTitles[this.#stage]}
.matrices=${stage ? [drawn(stage, place, scene).matrix] : []}
        ></attention-legend>
        ${
          this.state.queryHeads > 1
            ? html`<attention-field name="heads" .state=${this.state} @setting=${this.#set}></attention-field>`
            : nothing
        }
      </div>
      ${
        comparison
          ? html`<p class="soft">${comparison.different === 0 ? words.cachedSame : words.cachedDiffers(comparison.different)}</p>`
          : nothing
      }
    `
  }

  #set(event: CustomEvent<SettingDetail>) {
    const { name, value } = event.detail
    const also = name === 'text' ? { keys: Math.min(countWords(String(value)), 2048) } : {}
    this.change({ [name]: value, ...also } as Partial<State>)
  }

  #go(stage: StageName) {
    this.pointed = undefined
    this.change({ stage, locked: false })
  }

  #choose({ stage, head, row, column }: StageCell) {
    const scene = this.#scene as Scene
    const same = this.state.locked && this.state.stage === stage && written('cell', this.state) === `${row},${column}`
    const axes = scene.stages.get(stage)?.axes ?? []
    const query = axes.includes('Hkv')
      ? Math.max(scene.kvHeads.indexOf(head), 0)
      : axes.includes('Hq')
        ? head
        : this.state.head
    this.pointed = undefined
    this.change({ stage, cell: [row, column], head: query, locked: !same })
  }

  #free() {
    this.pointed = undefined
    if (this.state.locked) this.change({ locked: false })
  }

  #edit({ stage, row, column, value }: StageCell & { value: number }) {
    const scene = this.#scene as Scene
    const { tokens, queries, keys } = scene.settings
    const first = stage === 'context' ? tokens.length - keys : stage === 'x' ? tokens.length - queries : 0
    const name = `${stage === 'context' ? 'x' : stage}Edits` as EditsName
    this.change({ [name]: new Map([...this.state[name], [at(row + first, column), value]]) } as Partial<State>)
  }

  #paint({ row, column, hide }: StageCell & { hide: boolean }) {
    const cells = new Set(this.state.paintedCells)
    if (hide) cells.add(at(row, column))
    else cells.delete(at(row, column))
    this.change({ paintedCells: cells })
  }

  #use(tool: Tool) {
    if (tool === 'undo') this.#take(undone(this.history))
    else if (tool === 'redo') this.#take(redone(this.history))
    else if (tool === 'reset') this.change(this.#lesson)
    else this.#share()
  }

  async #share() {
    const text =
      this.address === undefined ? this.#tag() : this.link === '' ? this.address : `${this.address}?${this.link}`
    try {
      await navigator.clipboard.writeText(text)
      this.told = { text: words.shared }
    } catch {
      this.told = { text: words.notShared, copy: text }
    }
  }

  /** The tag that starts where things are now, on one line. */
  #tag(): string {
    const quoted = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
    const attributes = names
      .filter((name) => !agree(name, this.state, start))
      .map((name) => ` ${attributeOf(name)}="${quoted(written(name, this.state))}"`)
    return `<attention-playground${attributes.join('')}></attention-playground>`
  }

  async #export(format: FormatName) {
    const scene = this.other?.scene ?? this.#scene
    const stage = scene?.stages.get(this.#stage)
    if (!scene || !stage) return
    const place = { sequence: countOf('sequence', this.state), head: countOf('head', this.state) }
    const range = this.#ranges.get(stage.name) ?? { min: 0, max: 1 }
    try {
      const { exportAs } = await import('./export-scene.ts')
      await exportAs(format, { scene, stage, place, range, host: this })
    } catch (error) {
      this.told = { text: error instanceof Error ? error.message : String(error) }
    }
  }
}

const countWords = (sentence: string) => sentence.split(' ').filter((word) => word !== '').length
