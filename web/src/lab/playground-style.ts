// How the parts of the widget stand beside each other: one column on a phone, three
// below the strip on a desk.

import { css } from 'lit'
import { base, palette } from './theme.ts'

export const playgroundStyle = [
  palette,
  base,
  css`
    :host {
      container: widget / inline-size;
      /* Else the browser keeps what is below the card in place, and moves the stage that is pointed at. */
      overflow-anchor: none;
      position: relative;
      /* What lies above what is in here lies below what is above the widget. */
      isolation: isolate;
      color: var(--ink);
      font-size: var(--text);
      line-height: 1.5;
    }
    /* What a page's rules for its prose would hand down; its typeface is welcome. */
    :host,
    .widget {
      font-style: normal;
      font-variant: normal;
      font-weight: 400;
      letter-spacing: normal;
      word-spacing: normal;
      word-break: normal;
      overflow-wrap: normal;
      white-space: normal;
      hyphens: manual;
      text-align: start;
      text-indent: 0;
      text-shadow: none;
      text-transform: none;
      cursor: auto;
    }
    .widget {
      --above: var(--attention-top, 0px);
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
    /* Its room does not depend on what it says, so that nothing moves when that changes. */
    .engine {
      flex: 1 1 17rem;
      min-height: 1lh;
      font-size: var(--text-small);
    }
    /* As high as it gets, so that nothing moves when it comes. */
    attention-strip,
    .strip {
      box-sizing: border-box;
      min-width: 0;
      min-height: 5.625rem;
      padding-block: var(--space-1);
      border-block: 1px solid var(--line);
    }
    /* No grid: what stays in sight may leave no area of its own. */
    .body {
      display: flex;
      flex-wrap: wrap;
      gap: var(--space-5);
    }
    .body > * {
      flex: 1 0 100%;
      min-width: 0;
    }
    .stage {
      grid-area: stage;
      min-height: 21rem;
      /* For where it stays in sight. The page may say how much of the window's top its own header covers. */
      top: var(--attention-top, 0px);
      /* So that it does not stick to the very edge. */
      margin-top: calc(-1 * var(--space-2));
      padding-top: var(--space-2);
    }
    /* While it is awaited the controls below it are out of sight: it may get higher than it is. */
    .stage.awaited {
      min-height: 100vh;
    }
    .stage.stays {
      position: sticky;
      z-index: 1;
      background: var(--surface);
      box-shadow: 0 var(--space-2) var(--space-2) var(--surface);
    }
    /* What gets the focus is not behind the stage. */
    .card,
    attention-controls,
    attention-rules {
      --above: calc(var(--attention-top, 0px) + var(--stage-height, 0px) + var(--space-2));
    }
    /* As high as it gets with a few terms, so that what is below stays put while one points
       about; a higher one stays as high (kept-height.ts). */
    .card {
      grid-area: card;
      min-height: 34.5rem;
    }
    attention-controls {
      grid-area: controls;
    }
    attention-rules {
      grid-area: rules;
    }
    .heads {
      display: flex;
      gap: var(--space-4);
    }
    .heads > .by-head {
      min-width: 9rem;
    }
    .refusal {
      color: var(--key);
      overflow-wrap: anywhere;
    }
    .settings {
      display: none;
      font-size: var(--text-small);
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
      .body > attention-controls,
      .body > attention-rules {
        flex-basis: calc(50% - var(--space-5));
      }
    }
    @container widget (min-width: 1080px) {
      attention-strip,
      .strip {
        min-height: 13rem;
      }
      .stage.awaited {
        min-height: 21rem;
      }
      .body {
        display: grid;
        grid-template: 'controls stage card' min-content 'controls stage rules' 1fr / 16.5rem minmax(0, 1fr) 22rem;
        gap: var(--space-4) var(--space-5);
      }
      .stage {
        align-self: start;
      }
      .card,
      attention-controls,
      attention-rules {
        --above: var(--attention-top, 0px);
      }
    }
    @media print {
      /* Grounds are not printed, and pale ink is not to be read on paper. */
      :host {
        color-scheme: only light;
      }
      .stage.stays {
        position: static;
      }
      /* In the place of the controls. */
      .settings:not(:empty) {
        display: block;
      }
      attention-toolbar,
      attention-controls,
      .head attention-field,
      attention-stage attention-field {
        display: none;
      }
    }
  `,
]
