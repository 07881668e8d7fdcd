// Builds what the page needs and serves it on 127.0.0.1, at PORT or 8017.
//   npm start

import { join } from 'node:path'
import { buildSite, buildWasm } from './build.mjs'
import { main, root } from './lib/run.mjs'
import { portIsFree, serve, wantedPort } from './lib/serve.mjs'

await main(async () => {
  const port = wantedPort(8017)
  await portIsFree(port)
  await buildWasm()
  await buildSite()
  const { url } = await serve(join(root, 'dist/site'), { port })
  console.log(`The playground is at ${url} (Ctrl-C ends it).`)
})
