// One face for a browser's Web Worker and a Node worker thread.

export interface Thread {
  post(message: unknown, transfer: Transferable[]): void
  /** Ends it. No callback comes after this. */
  end(): void
  /** Whether it keeps a Node process alive. */
  hold(held: boolean): void
}

export interface ThreadCallbacks {
  onMessage(message: unknown): void
  /** It ended, or never began; `reason` is one line. */
  onDeath(reason: string): void
}

const isNode =
  typeof process === 'object' && typeof process.versions?.node === 'string' && typeof Worker === 'undefined'

// No literals at the imports, so that bundlers for the browser leave them alone.
const nodeWorker = './worker.js'
const nodeThreads = 'node:worker_threads'
const nodeSystem = 'node:os'

type NodeThreads = typeof import('node:worker_threads')

export async function startThread(callbacks: ThreadCallbacks): Promise<Thread> {
  return isNode ? startNodeThread(callbacks) : startWebWorker(callbacks)
}

function startWebWorker({ onMessage, onDeath }: ThreadCallbacks): Thread {
  const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' })
  worker.onmessage = (event) => onMessage(event.data)
  worker.onerror = (event) => onDeath(event.message || 'it could not be started')
  return {
    post: (message, transfer) => worker.postMessage(message, transfer),
    end: () => {
      worker.onmessage = null
      worker.onerror = null
      worker.terminate()
    },
    hold: () => {},
  }
}

async function startNodeThread({ onMessage, onDeath }: ThreadCallbacks): Promise<Thread> {
  const { Worker: NodeWorker } = (await import(/* @vite-ignore */ nodeThreads)) as NodeThreads
  const worker = new NodeWorker(new URL(/* @vite-ignore */ nodeWorker, import.meta.url))
  let reason = ''
  worker.on('message', onMessage)
  worker.on('error', (error) => (reason = error instanceof Error ? error.message : String(error)))
  worker.on('exit', (status) => onDeath(reason || `it ended with status ${status}`))
  worker.unref()
  return {
    post: (message, transfer) => worker.postMessage(message, transfer as never),
    end: () => {
      worker.removeAllListeners()
      void worker.terminate()
    },
    hold: (held) => (held ? worker.ref() : worker.unref()),
  }
}

/** How many threads the machine runs at once. */
export async function processors(): Promise<number> {
  if (!isNode) return globalThis.navigator?.hardwareConcurrency ?? 1
  const system = (await import(/* @vite-ignore */ nodeSystem)) as typeof import('node:os')
  return system.availableParallelism()
}

/** The other end: receives messages inside a thread. */
export async function serveThread(
  answer: (message: unknown, reply: (message: unknown, transfer: Transferable[]) => void) => void,
): Promise<void> {
  if (!isNode) {
    // A dedicated worker's global scope, whose types exclude those of a window.
    const scope = globalThis as unknown as {
      onmessage: ((event: MessageEvent) => void) | null
      postMessage: (message: unknown, transfer: Transferable[]) => void
    }
    scope.onmessage = (event) => answer(event.data, (message, transfer) => scope.postMessage(message, transfer))
    return
  }
  const { parentPort } = (await import(/* @vite-ignore */ nodeThreads)) as NodeThreads
  parentPort?.on('message', (message: unknown) =>
    answer(message, (reply, transfer) => parentPort.postMessage(reply, transfer as never)),
  )
}
