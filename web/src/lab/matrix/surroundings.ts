// What a canvas has to ask for, because style sheets don't reach it: the colours in
// force, the pixels of the screen, and whether the page is being printed.
//
// A change of colours is heard by a probe, an element of the host's shadow tree whose
// colours are those of the theme and have a transition: whatever it was that changed
// them, the system's setting, a class of the page or a sheet of the widget's host, a
// transition begins.

import { css, type ReactiveController, type ReactiveControllerHost } from 'lit'
import { luminance, parse } from './palette.ts'

/** The colours that a drawing takes from the theme, as the canvas understands them. */
export interface Theme {
  readonly dark: boolean
  readonly ink: string
  readonly surface: string
  readonly hidden: string
  readonly hiddenMark: string
  readonly edge: string
  readonly notANumber: string
  readonly font: string
}

interface Host extends ReactiveControllerHost, Element {
  readonly renderRoot: HTMLElement | DocumentFragment
  /** Draws at once, within the call; before printing there is no next frame. */
  redraw(): void
}

export const probeStyle = css`
  .probe {
    position: absolute;
    width: 0;
    height: 0;
    overflow: hidden;
    visibility: hidden;
    /* Forced colours would make all patterns one; pictures stay as they are. */
    forced-color-adjust: none;
    color: var(--ink);
    background: var(--surface);
    border: 0 solid;
    border-color: var(--hidden) var(--hidden-mark) var(--edge) var(--not-a-number);
    /* At its end from the beginning: it is there for its events. */
    transition: 1ms step-start;
    transition-property: color, background-color;
  }
  .probe.printing {
    color-scheme: only light;
    transition: none;
  }
  @media print {
    :host {
      color-scheme: only light;
    }
  }
`

/** What was read last in each widget. */
const themes = new WeakMap<Node, Theme>()

/** The element of the page's own tree that a node is in. */
function outermost(node: Node): Node {
  const root = node.getRootNode()
  return root instanceof ShadowRoot ? outermost(root.host) : node
}

export class Surroundings implements ReactiveController {
  /** Known once the host has been rendered. */
  theme: Theme | undefined
  /** Device pixels in a CSS pixel. */
  ratio = 1
  readonly #host: Host
  #watching = new AbortController()

  constructor(host: Host) {
    this.#host = host
    host.addController(this)
  }

  hostConnected() {
    this.#watching = new AbortController()
    const { signal } = this.#watching
    addEventListener('beforeprint', () => this.#print(true), { signal })
    addEventListener('afterprint', () => this.#print(false), { signal })
    this.#watchRatio(signal)
    if (this.theme) this.read()
  }

  hostDisconnected() {
    this.#watching.abort()
  }

  /**
   * The probe is there now, and the host's own updated(), which draws, comes after this.
   * To read a style between the updates of many elements has the browser work it out
   * each time, so what an element of the same widget has read is taken for true until
   * the next frame.
   */
  hostUpdated() {
    if (this.theme) return
    const widget = outermost(this.#host)
    this.theme = themes.get(widget)
    if (this.theme) requestAnimationFrame(() => this.read())
    else this.theme = this.#readTheme()
    if (this.theme) themes.set(widget, this.theme)
  }

  /** Reads the theme afresh; the host draws again if it has changed. */
  readonly read = () => {
    const theme = this.#readTheme()
    if (!theme || JSON.stringify(theme) === JSON.stringify(this.theme)) return
    this.theme = theme
    themes.set(outermost(this.#host), theme)
    this.#host.requestUpdate()
  }

  get #probe() {
    return this.#host.renderRoot.querySelector('.probe')
  }

  #readTheme(): Theme | undefined {
    if (!this.#probe) return undefined
    const style = getComputedStyle(this.#probe)
    const { color: ink, backgroundColor: surface } = style
    return {
      dark: luminance(parse(ink)) > luminance(parse(surface)),
      ink,
      surface,
      hidden: style.borderTopColor,
      hiddenMark: style.borderRightColor,
      edge: style.borderBottomColor,
      notANumber: style.borderLeftColor,
      font: style.fontFamily,
    }
  }

  #print(printing: boolean) {
    this.#probe?.classList.toggle('printing', printing)
    this.theme = this.#readTheme()
    this.#host.redraw()
  }

  #watchRatio(signal: AbortSignal) {
    this.ratio = devicePixelRatio
    matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener(
      'change',
      () => {
        this.#watchRatio(signal)
        this.#host.requestUpdate()
      },
      { once: true, signal },
    )
  }
}
