// Formats the C++ with clang-format and all else with Biome, in place.
//   npm run format

import { main } from './lib/run.mjs'
import { biome, clangFormat } from './lib/sources.mjs'
import { packages } from './setup.mjs'

await main(async () => {
  await packages()
  await biome(['check', '--write'])
  await clangFormat(['-i'])
})
