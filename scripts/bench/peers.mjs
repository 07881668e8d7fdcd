// Other people's attention to measure against. They are large and nothing else needs
// them, so they are no packages of this project: they go into the user's cache folder.

import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { run, say } from '../lib/run.mjs'
import { cache } from '../setup.mjs'

export const peerVersions = {
  'onnxruntime-web': '1.30.0',
  '@tensorflow/tfjs-core': '4.22.0',
  '@tensorflow/tfjs-backend-wasm': '4.22.0',
  '@tensorflow/tfjs-backend-webgpu': '4.22.0',
}

const wanted = Object.entries(peerVersions).map(([name, version]) => `${name}@${version}`)
const folder = join(cache, `peers-${Object.values(peerVersions).join('-')}`)

export async function installPeers() {
  // npm writes this file last, so an installation that was cut short is not taken for one.
  if (existsSync(join(folder, 'node_modules/.package-lock.json'))) return
  say(`fetching ${wanted.join(', ')} to measure against: 210 MB`)
  await run('npm', ['install', '--prefix', folder, '--no-save', '--loglevel=error', ...wanted])
}

/** Loads one of their packages. */
export const requirePeer = createRequire(join(folder, 'package.json'))

/** The path of a file of theirs. */
export const peerFile = (name) => join(folder, 'node_modules', name)
