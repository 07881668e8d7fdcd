// How the heads of a layer stand beside each other: a pure function of the room.

import { type Fit, fit, type Room, smallestWithDigits } from './fit.ts'

export interface Multiples {
  /** All frames in one strip that scrolls, on a narrow screen. */
  readonly strip: boolean
  /** Heads side by side within the frame of a KV head, and such frames side by side. */
  readonly across: number
  readonly frames: number
  /** The width of each matrix, labels included, in CSS pixels. */
  readonly room: number
  /** About the height of all that is not in a strip. */
  readonly height: number
}

/** Heads that read the same KV head. */
export interface Group {
  readonly kvHead: number
  readonly heads: number[]
}

/** The heads by the KV head that each reads; without `kvHeads` they are KV heads themselves. */
export function groupsOf(heads: number, kvHeads: readonly number[] | undefined): Group[] {
  const groups: Group[] = []
  for (let head = 0; head < heads; ++head) {
    const kvHead = kvHeads?.[head] ?? head
    const last = groups.at(-1)
    if (last?.kvHead === kvHead) last.heads.push(head)
    else groups.push({ kvHead, heads: [head] })
  }
  return groups
}

export const narrow = 460
/** More rows of matrices than fit in this height are no overview any more. */
const tallest = 1000
/** Between frames, and between matrices in a frame. */
export const gap = 24
/** What a frame takes on both sides together. */
export const padding = 26
const caption = 32
/** Between matrices in a strip. */
export const stripGap = 12
/** The gap, and how much of the next matrix looks into a strip, so that one sees that it goes on. */
const peek = stripGap + 12

/**
 * The arrangement with the largest cells among those that are seen at once, or the lowest
 * of those whose cells have digits; if none is seen at once, the lowest of those that fit
 * in the width; if none does, one below the other.
 */
export function multiples(
  groups: number,
  groupSize: number,
  rowLabels: readonly string[],
  columnLabels: readonly string[],
  { width, ratio }: Room,
): Multiples {
  const frame = groupSize > 1 ? padding : 0
  const heads = groups * groupSize
  if (width < narrow)
    return { strip: true, across: 1, frames: groups, room: width - frame - (heads > 1 ? peek : 0), height: 0 }
  let best: { size: Fit; height: number; layout: Multiples } | undefined
  for (let frames = 1; frames <= groups; ++frames) {
    for (let across = 1; across <= groupSize; ++across) {
      const room = Math.floor((width - (frames - 1) * gap - frames * (frame + (across - 1) * gap)) / (frames * across))
      const size = fit(rowLabels, columnLabels, { width: room, ratio })
      if (size.width / ratio + size.rowLabel > room) continue
      const one = size.height / ratio + size.columnLabel + caption
      const inFrame = Math.ceil(groupSize / across)
      const height = Math.ceil(groups / frames) * (inFrame * (one + gap) + frame + (frame ? caption : 0))
      const layout = { strip: false, across, frames, room, height }
      if (!best || better({ size, height }, best)) best = { size, height, layout }
    }
  }
  return best?.layout ?? { strip: false, across: 1, frames: 1, room: width - frame, height: Number.POSITIVE_INFINITY }
}

interface Candidate {
  readonly size: Fit
  readonly height: number
}

function better(one: Candidate, other: Candidate): boolean {
  const [seen, otherSeen] = [one.height <= tallest, other.height <= tallest]
  if (seen !== otherSeen) return seen
  const [cell, otherCell] = [one, other].map(({ size }) => Math.min(size.cell, smallestWithDigits)) as [number, number]
  if (seen && cell !== otherCell) return cell > otherCell
  return one.height < other.height
}
