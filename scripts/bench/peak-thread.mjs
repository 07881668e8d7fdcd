// A thread that does steps of multiply-adds for threadsPeak(): one message, one part.

import { parentPort, workerData } from 'node:worker_threads'
import { multiplyAdds } from './peaks.mjs'

const run = multiplyAdds(workerData)
parentPort.on('message', (steps) => {
  run(steps)
  parentPort.postMessage(undefined)
})
