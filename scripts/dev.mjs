// Serves the page from its sources, at PORT or 8017, and rebuilds and reloads it
// when the C++ or the TypeScript changes.
//   npm run dev

import { watch } from 'node:fs'
import { join } from 'node:path'
import { buildWasm } from './build.mjs'
import { main, root, say } from './lib/run.mjs'
import { portIsFree, wantedPort } from './lib/serve.mjs'

await main(async () => {
  const port = wantedPort(8017)
  await portIsFree(port)
  await buildWasm()

  // Vite watches web/ itself; it is there only after the build has installed it.
  const { createServer } = await import('vite')
  const server = await createServer({ root: join(root, 'web'), server: { host: '127.0.0.1', port, strictPort: true } })
  await server.listen()
  console.log(`The playground is at ${server.resolvedUrls.local[0]} (Ctrl-C ends it).`)

  let waiting
  let building = false
  const rebuild = async () => {
    if (building) return later()
    building = true
    try {
      await buildWasm()
      server.ws.send({ type: 'full-reload' })
    } catch (error) {
      say(`${error.message} The page keeps the last build that worked.`)
    }
    building = false
  }
  const later = () => {
    clearTimeout(waiting)
    waiting = setTimeout(rebuild, 200)
  }
  for (const folder of ['cpp', 'web/src/engine/gpu']) watch(join(root, folder), { recursive: true }, later)
})
