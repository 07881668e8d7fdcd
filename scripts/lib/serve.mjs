// A static server of one folder on 127.0.0.1, in the way of any static host:
// no special headers, optionally under a sub-path.

import { createReadStream, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join, normalize } from 'node:path'
import { Failure } from './run.mjs'

const types = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.mjs': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
}

/** The file of `folder` that a request asks for, or nothing. */
function fileFor(folder, prefix, url) {
  let path
  try {
    path = decodeURIComponent(new URL(url, 'http://localhost').pathname)
  } catch {
    return undefined
  }
  if (!path.startsWith(prefix)) return undefined
  // normalize() of an absolute path cannot climb above its root.
  let file = join(folder, normalize(`/${path.slice(prefix.length)}`))
  if (file.endsWith('/')) file = join(file, 'index.html')
  return statSync(file, { throwIfNoEntry: false })?.isFile() ? file : undefined
}

/**
 * Serves `folder` below `prefix`, which begins and ends with a slash. Port 0 takes
 * a free one. `answers` has a handler for each path that is no file. Resolves to the
 * page's address and a way to stop.
 */
export function serve(folder, { port = 0, prefix = '/', answers = {} } = {}) {
  const server = createServer((request, response) => {
    const path = request.url.slice(prefix.length)
    if (Object.hasOwn(answers, path)) return answers[path](request, response)
    const file = fileFor(folder, prefix, request.url)
    if (!file) return response.writeHead(404, { 'Content-Type': 'text/plain' }).end('Not found')
    const type = types[extname(file)] ?? 'application/octet-stream'
    response.writeHead(200, { 'Content-Type': type, 'Cache-Control': 'no-cache' })
    if (request.method === 'HEAD') response.end()
    else createReadStream(file).pipe(response)
  })
  return new Promise((resolve, reject) => {
    server.on('error', (error) => reject(portFailure(port, error)))
    server.listen(port, '127.0.0.1', () => {
      const url = `http://127.0.0.1:${server.address().port}${prefix}`
      resolve({
        url,
        close: () =>
          new Promise((done) => {
            server.close(done)
            server.closeAllConnections()
          }),
      })
    })
  })
}

/** The port that PORT asks for, or the usual one; a failure if it is no port. */
export function wantedPort(usual) {
  const port = Number(process.env.PORT || usual)
  if (Number.isInteger(port) && port >= 0 && port <= 65535) return port
  throw new Failure(`PORT is "${process.env.PORT}", but a port is a whole number from 0 to 65535.`)
}

/** Fails now if `port` is taken, rather than after a long build. */
export function portIsFree(port) {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.on('error', (error) => reject(portFailure(port, error)))
    probe.listen(port, '127.0.0.1', () => probe.close(resolve))
  })
}

function portFailure(port, error) {
  const reason = error.code === 'EADDRINUSE' ? 'is in use' : `cannot be opened (${error.message})`
  return new Failure(`Port ${port} ${reason}: choose another one with PORT=…, or PORT=0 for any that is free.`)
}
