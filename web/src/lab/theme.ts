// What the parts of the widget have in common: colours with a meaning, a type
// scale, a spacing scale. light-dark() follows the color-scheme of the page that
// the widget stands in.

import { css, unsafeCSS } from 'lit'

/** The colours by their names: in the light, in the dark. */
export const colours = {
  ink: ['#1f1c2a', '#eeecf5'],
  'ink-soft': ['#5d586e', '#aba6bd'],
  surface: ['#ffffff', '#1e1c28'],
  sunken: ['#f6f4fa', '#272433'],
  line: ['#e2deec', '#383448'],

  query: ['#1d56c4', '#8fb8ff'],
  'query-tint': ['#e4edfd', '#233252'],
  key: ['#b8202f', '#ff9c9c'],
  'key-tint': ['#fde8e8', '#4a2630'],
  value: ['#17713c', '#7fd79c'],
  attention: ['#5b2fb0', '#c0a2ff'],

  hidden: ['#f5f3f8', '#1b1924'],
  'hidden-mark': ['#8d84a5', '#6f6888'],
  edge: ['#43188f1a', '#ffffff14'],
  'not-a-number': ['#8a4b00', '#ffbf66'],
} as const

const properties = Object.entries(colours).map(([name, [light, dark]]) => `--${name}: light-dark(${light}, ${dark});`)

/** For the widget's own element; its parts inherit these. */
export const palette = css`
  :host {
    ${unsafeCSS(properties.join('\n    '))}

    --text-small: 0.75rem;
    --text: 0.875rem;
    --text-large: 1.0625rem;
    --space-1: 0.25rem;
    --space-2: 0.5rem;
    --space-3: 0.75rem;
    --space-4: 1rem;
    --space-5: 1.5rem;
    --radius: 6px;
  }
`

export const base = css`
  :host {
    display: block;
  }
  *,
  ::before,
  ::after {
    box-sizing: border-box;
  }
  h2,
  h3,
  p,
  dl,
  dd,
  fieldset {
    margin: 0;
    padding: 0;
    border: 0;
  }
  h2,
  h3 {
    font-size: inherit;
    font-weight: 600;
  }
  table {
    border-collapse: separate;
    border-spacing: 0;
    font-variant-numeric: tabular-nums;
  }
  /* Where something stands above what scrolls, --above says how high it is. */
  input,
  button,
  summary,
  [tabindex] {
    scroll-margin-top: var(--above, 0px);
  }
  :focus-visible {
    outline: 2px solid var(--attention);
    outline-offset: 2px;
  }
  .unseen {
    position: absolute;
    width: 1px;
    height: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  .query {
    color: var(--query);
  }
  .key {
    color: var(--key);
  }
  .value {
    color: var(--value);
  }
  .weight {
    color: var(--attention);
  }
  .soft {
    color: var(--ink-soft);
  }
`
