// The results of a suite, a list of { name, failure?, skip? }, each a text: out of
// the JUnit file that Catch2 wrote, or the JSON of lib/vitest-results.mjs.

import { existsSync, readFileSync } from 'node:fs'

const entities = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const plain = (xml) =>
  xml
    .replace(/<!\[CDATA\[|\]\]>/g, '')
    .replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (all, decimal, hex, name) =>
      name ? (entities[name] ?? all) : String.fromCodePoint(decimal ? Number(decimal) : Number.parseInt(hex, 16)),
    )

const attribute = (text, name) => plain(text.match(new RegExp(`\\s${name}="([^"]*)"`))?.[1] ?? '')

/** The first element `names` in a testcase's body, as a text; undefined if there is none. */
function element(body, names) {
  const found = body.match(new RegExp(`<(?:${names})\\b((?:\\s+[\\w:.-]+="[^"]*")*)\\s*(?:/>|>([\\s\\S]*?)</)`))
  if (!found) return undefined
  const text = plain(found[2] ?? '').trim()
  return [attribute(found[1], 'message'), text].filter(Boolean).join('\n')
}

export const readJson = (file) => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [])

export function readJunit(file) {
  if (!existsSync(file)) return []
  const cases = /<testcase((?:\s+[\w:.-]+="[^"]*")*)\s*(?:\/>|>([\s\S]*?)<\/testcase>)/g
  return [...readFileSync(file, 'utf8').matchAll(cases)].map(([, attributes, body = '']) => {
    const skip = element(body, 'skipped')
    return {
      name: attribute(attributes, 'name'),
      failure: element(body, 'failure|error'),
      skip: skip === undefined ? undefined : skipReason(skip),
    }
  })
}

/** Catch2 wraps the reason of a skip: "SKIPPED", the reason, "at FILE:LINE". */
const skipReason = (skip) =>
  skip
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line && line !== 'SKIPPED' && !/^at .*:\d+$/.test(line))
    .join(' ') || 'no reason given'
