// All heads as small multiples, each as large as the room allows, and the legend.

import { css, html, LitElement, nothing } from 'lit'
import type { At } from './attention-heatmap.ts'
import { fit } from './fit.ts'
import { paint } from './paint.ts'
import { base, markOf, marks } from './theme.ts'
import { type Cell, kvHeadOf, reasonsOf, type View } from './view.ts'
import { words } from './words.ts'

/** Fires `point` and `pick` as a heatmap does, with a Cell. */
export class AttentionHeads extends LitElement {
  static override properties = {
    view: { attribute: false },
    picked: { attribute: false },
    shown: { attribute: false },
    room: { state: true },
  }
  declare view: View
  declare picked: Cell
  declare shown: Cell
  declare room: number

  static override styles = [
    base,
    css`
      .heads {
        display: grid;
        grid-template-columns: repeat(var(--columns), max-content);
        gap: var(--space-5) 32px;
      }
      .heads.strip {
        overflow-x: auto;
        gap: var(--space-3);
        scroll-snap-type: x proximity;
      }
      .strip figure {
        scroll-snap-align: start;
      }
      figure {
        margin: 0;
      }
      figcaption {
        margin-bottom: var(--space-1);
        font-size: var(--text);
        font-weight: 600;
        line-height: 1.4;
      }
      figcaption .soft {
        font-weight: 400;
      }
      .legend {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: var(--space-1) var(--space-4);
        min-height: 3.25rem;
        margin-top: var(--space-3);
        font-size: var(--text-small);
        color: var(--ink-soft);
      }
      .legend.wide {
        min-height: 1.5rem;
      }
      .legend span {
        display: flex;
        align-items: center;
        gap: var(--space-2);
      }
      .ramp,
      .swatch {
        height: 12px;
        border-radius: 3px;
        box-shadow: inset 0 0 0 1px var(--edge);
        forced-color-adjust: none;
      }
      .ramp {
        width: 120px;
        background: linear-gradient(to right in oklab, var(--weight-0), var(--weight-1));
      }
      .swatch {
        width: 20px;
      }
    `,
    marks,
  ]

  readonly #observer = new ResizeObserver(([entry]) => {
    if (entry) this.room = Math.floor(entry.contentRect.width)
  })

  override connectedCallback() {
    super.connectedCallback()
    // Known before the first frame, so that nothing moves after it.
    this.room = Math.floor(this.getBoundingClientRect().width)
    this.#observer.observe(this)
  }

  override disconnectedCallback() {
    super.disconnectedCallback()
    this.#observer.disconnect()
  }

  override render() {
    if (this.room === 0) return nothing
    const { settings, trace, hiddenReasons } = this.view
    const { tokens, queryHeads } = settings
    const size = fit(this.room, tokens, queryHeads)
    const pairs = tokens.length * tokens.length
    const names = (bits: number) => reasonsOf(bits, hiddenReasons)
    const heads = Array.from({ length: queryHeads }, (_, head) => {
      const part = [head * pairs, (head + 1) * pairs] as const
      const values = trace && { weights: trace.weights.subarray(...part), hiddenBy: trace.hiddenBy.subarray(...part) }
      return html`
        <figure>
          <figcaption>${queryHeads === 1 ? words.headAlone : this.#caption(head)}</figcaption>
          <attention-heatmap
            .name=${queryHeads === 1 ? words.headAlone : `${words.queryHead(head)}${words.reads}${words.kvHead(kvHeadOf(head, this.view))}`}
            .tokens=${tokens}
            .values=${values}
            .reasonsOf=${names}
            .size=${size}
            .picked=${this.picked.head === head ? this.picked : { query: 0, key: 0 }}
            .shown=${this.shown.head === head ? this.shown : undefined}
            @point=${(event: CustomEvent<At | undefined>) => this.#pass(event, head)}
            @pick=${(event: CustomEvent<At>) => this.#pass(event, head)}
          ></attention-heatmap>
        </figure>
      `
    })
    return html`
      <div class=${size.strip ? 'heads strip' : 'heads'} ${paint('--columns', String(size.columns))}>${heads}</div>
      ${this.#legend(size.strip)}
    `
  }

  #caption(head: number) {
    const kvHead = words.kvHead(kvHeadOf(head, this.view))
    return html`
      <span class="query">${words.queryHead(head)}</span
      ><span class="soft">${words.reads}</span><span class="key">${kvHead}</span>
    `
  }

  #legend(narrow: boolean) {
    const { trace, hiddenReasons } = this.view
    const sets = [...new Set(trace?.hiddenBy)].filter((bits) => bits !== 0)
    return html`
      <p class=${narrow ? 'legend' : 'legend wide'}>
        <span>${words.legend} 0 <i class="ramp"></i> 1</span>
        ${sets.map((bits) => {
          const reasons = reasonsOf(bits, hiddenReasons)
          return html`<span><i class=${`swatch ${markOf(reasons)}`}></i>${words.legendHidden(reasons)}</span>`
        })}
      </p>
    `
  }

  #pass(event: CustomEvent<At | undefined>, head: number) {
    this.dispatchEvent(
      new CustomEvent<Cell | undefined>(event.type, { detail: event.detail && { head, ...event.detail } }),
    )
  }
}
