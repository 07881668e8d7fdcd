// How <attention-matrix> looks around its canvas: labels, rings, lens.

import { css } from 'lit'
import { base } from '../theme.ts'
import { probeStyle } from './surroundings.ts'

export const matrixStyle = [
  base,
  probeStyle,
  css`
    :host {
      position: relative;
      direction: ltr;
      font-size: var(--text-small);
      font-weight: 400;
      font-style: normal;
      line-height: 1.4;
      letter-spacing: normal;
      word-spacing: normal;
      text-align: start;
      text-indent: 0;
      text-transform: none;
      white-space: normal;
      color: var(--ink);
      font-variant-numeric: tabular-nums;
    }
    /* A title that needs two lines breaks between what it says, not before its last number. */
    ::slotted([slot='caption']) {
      text-wrap: balance;
    }
    .frame {
      --cell-x: var(--cell);
      --cell-y: var(--cell);
      position: relative;
      display: grid;
      grid-template:
        'corner columns total' var(--column-label) 'rows cells sums' var(--height)
        / var(--row-label) var(--width) var(--sums);
      width: max-content;
    }
    .corner {
      grid-area: corner;
      display: flex;
      flex-direction: column;
      align-items: flex-end;
      justify-content: flex-end;
      padding: 0 6px 3px 0;
      overflow: hidden;
      font-size: 0.6875rem;
      line-height: 1.3;
      white-space: nowrap;
      color: var(--ink-soft);
    }
    .labels {
      position: relative;
      color: var(--ink-soft);
    }
    .labels.row {
      grid-area: rows;
    }
    .labels.column {
      grid-area: columns;
    }
    .corner.sums {
      grid-area: total;
      padding-right: 4px;
    }
    .labels.sums {
      grid-area: sums;
    }
    .labels.query {
      --own: var(--query);
      --tint: var(--query-tint);
    }
    .labels.key {
      --own: var(--key);
      --tint: var(--key-tint);
    }
    .labels.value {
      --own: var(--value);
      --tint: var(--value-tint, var(--sunken));
    }
    .labels span {
      position: absolute;
      max-width: 100%;
      overflow: hidden;
      text-overflow: ellipsis;
      white-space: nowrap;
      border-radius: 3px;
    }
    .labels .at {
      z-index: 1;
      color: var(--own, var(--ink));
      background: var(--tint, var(--sunken));
    }
    /* No label has a transform of its own: with a thousand of them each frame took 3 ms longer. */
    .row span,
    .sums span {
      inset-inline-end: 4px;
      top: calc((var(--at) + 0.5) * var(--cell) - 0.65em);
      max-width: calc(100% - 4px);
      padding: 0 4px;
      font-size: clamp(0.625rem, calc(var(--cell) - 2px), var(--text-small));
      line-height: 1.3;
    }
    .sums span {
      padding: 0;
    }
    .column {
      --wide: max(var(--cell), 1.5rem);
    }
    .column.thinned {
      --wide: 3rem;
    }
    .column span {
      bottom: 3px;
      left: calc((var(--at) + 0.5) * var(--cell) - var(--wide) / 2);
      width: var(--wide);
      text-align: center;
    }
    .column:not(.upright) .at {
      background: none;
    }
    .column:not(.upright) .at bdi {
      padding: 0 2px;
      background: var(--tint, var(--sunken));
      border-radius: 3px;
    }
    /* Read from below: turned as a whole, so that its labels are placed from the other ends. */
    .column.upright {
      transform: rotate(180deg);
    }
    .column.upright span {
      top: 3px;
      right: calc((var(--at) + 0.5) * var(--cell) - 0.65em);
      bottom: auto;
      left: auto;
      width: auto;
      max-height: calc(var(--column-label) - 4px);
      padding: 3px 0;
      writing-mode: vertical-rl;
      text-orientation: sideways;
      font-size: clamp(0.625rem, calc(var(--cell) - 2px), var(--text-small));
      line-height: 1.3;
    }

    .cells {
      grid-area: cells;
      position: relative;
      cursor: default;
      touch-action: manipulation;
      user-select: none;
    }
    .cells.lens {
      cursor: crosshair;
      touch-action: pan-y;
    }
    :host([painting]) .frame .cells {
      cursor: crosshair;
      touch-action: none;
    }
    canvas {
      display: block;
      width: var(--width);
      height: var(--height);
      forced-color-adjust: none;
    }
    /* Not to be seen, but where the cell in focus is, so that a magnifier or a scroll finds it. */
    .table {
      position: absolute;
      top: calc(var(--row) * var(--cell-y));
      left: calc(var(--column) * var(--cell-x));
      width: 1px;
      height: 1px;
      overflow: hidden;
      contain: strict;
      opacity: 0;
      pointer-events: none;
    }
    .box {
      position: absolute;
      --wide: calc(var(--columns) * var(--cell-x));
      --high: calc(var(--rows) * var(--cell-y));
      top: calc(var(--row) * var(--cell-y) + (var(--high) - max(var(--high), 6px)) / 2);
      left: calc(var(--column) * var(--cell-x) + (var(--wide) - max(var(--wide), 6px)) / 2);
      width: max(var(--wide), 6px);
      height: max(var(--high), 6px);
      border-radius: min(4px, calc(var(--cell-y) / 6));
      pointer-events: none;
    }
    .marked {
      box-shadow:
        inset 0 0 0 2px var(--ink),
        inset 0 0 0 3px var(--surface);
    }
    :host([locked]) .marked {
      outline: 2px solid var(--attention);
      outline-offset: 0;
    }
    .pointed {
      box-shadow: inset 0 0 0 1px var(--ink);
    }
    .lit {
      border: 2px solid var(--attention);
      background: color-mix(in srgb, var(--attention) 10%, transparent);
    }
    .lit.query {
      border-color: var(--query);
    }
    .lit.key {
      border-color: var(--key);
    }
    .lit.value {
      border-color: var(--value);
    }
    .focus {
      visibility: hidden;
      outline: 3px solid var(--ink);
      outline-offset: -1px;
      box-shadow: 0 0 0 3px var(--surface);
    }
    .ringed:has(td:focus) .focus {
      visibility: visible;
    }

    .editor {
      position: absolute;
      z-index: 3;
      top: calc((var(--row) + 0.5) * var(--cell-y));
      left: calc((var(--column) + 0.5) * var(--cell-x));
      width: max(var(--cell-x), 5rem);
      transform: translate(-50%, -50%);
    }
    /* As wide as the picture above it, and never the reason that a column is wide. */
    .note {
      contain: inline-size;
      margin-top: var(--space-1);
    }

    .magnified {
      position: fixed;
      inset: auto;
      width: max-content;
      margin: 0;
      padding: var(--space-2);
      color: inherit;
      background: var(--surface);
      border: 1px solid var(--line);
      border-radius: var(--radius);
      box-shadow: 0 4px 16px light-dark(#1f1c2a33, #000a);
      pointer-events: none;
    }
    .schematic {
      position: relative;
      width: max-content;
    }
    .schematic svg {
      display: block;
    }
    .schematic .cells {
      position: absolute;
      top: var(--margin);
      left: var(--margin);
      width: var(--width);
      height: var(--height);
      cursor: crosshair;
    }
    .schematic rect {
      fill: none;
      stroke: var(--ink-soft);
      stroke-width: 1;
    }
    .schematic path {
      fill: color-mix(in srgb, var(--attention) 18%, transparent);
      stroke: var(--attention);
      stroke-width: 1.5;
    }
    .schematic text {
      fill: var(--ink);
      font-size: 12px;
      text-anchor: middle;
    }
    @media (forced-colors: active) {
      .box {
        border: 2px solid Highlight;
      }
      .pointed {
        border-width: 1px;
      }
    }
  `,
]
