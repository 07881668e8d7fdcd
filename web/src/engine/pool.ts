// Threads that solve parts of a problem side by side. They share no memory, so no
// special headers are needed: inputs are copied to them, outputs come back.
//
// Two of them on two cores are 1.8 to 1.9 times as fast as one thread (T 2048, H 8, D 64,
// causal) where both cores are equally fast and idle, and 1.7 where two threads of nothing
// but multiply-adds do 1.8 times the work of one. What is missing to 2: the inputs of
// each part are copied once more; the first part begins 1.5 ms after the call; between two
// parts of a thread lie 0.3 ms, and at the end one of them has a part less to do.

import type { Layer, Problem } from './attention.ts'
import { buffersOf } from './buffers.ts'
import type { Core } from './core.ts'
import type { Simd } from './simd.ts'
import type { TakeSpare } from './slices.ts'
import { startThread, type Thread } from './threads.ts'

/** A problem, and memory that its output may be written to if it has that size. */
export interface Solvable {
  readonly problem: Problem
  readonly room?: Float32Array | undefined
}

/** What a thread can do: solve a problem, trace a layer, or give a layer's output alone. */
export interface Work extends Partial<Solvable> {
  readonly traced?: Layer
  readonly layer?: Layer
}

/** To a thread: load the build, and do the work if there is any. */
export interface Task extends Work {
  readonly id: number
  readonly simd: Simd
}

/** From a thread: what the core said, and the buffers that it has no more use for, for the next one. */
export interface Answer {
  readonly id: number
  readonly result: Solved | Traced
  readonly spent: readonly ArrayBuffer[]
}
type Solved = ReturnType<Core['attend']> | ReturnType<Core['multiHead']>
type Traced = ReturnType<Core['traceMultiHead']>

interface Job {
  /** Made when a thread is free for it: copies of all parts at once would need much memory. */
  readonly make: () => Work
  readonly resolve: (result: Answer['result']) => void
  readonly reject: (reason: unknown) => void
  readonly signal: AbortSignal | undefined
  deaths: number
}

interface Seat {
  thread: Promise<Thread> | undefined
  /** The job that the thread works on, and one that waits there, so that it never idles. */
  jobs: Job[]
}

const jobsPerSeat = 2

// What threads gave back is kept for the next parts and calls: pages that the system has
// to give anew are the dearest of a copy. A call of T 2048 had 350 page faults for its
// inputs, and has 50. Small buffers cost nothing; all that are kept are no more than this.
const leastSpare = 2 ** 16
const mostSpare = 2 ** 24

/** A thread died twice on the same job. */
export class WorkerDeath extends Error {}

export class Pool {
  readonly #simd: Simd
  readonly #startThread: typeof startThread
  readonly #seats: Seat[]
  readonly #queue: Job[] = []
  #spare: ArrayBuffer[] = []
  #count = 0

  /** `start` starts a thread; tests give one that dies. */
  constructor(simd: Simd, size: number, start: typeof startThread = startThread) {
    this.#simd = simd
    this.#startThread = start
    this.#seats = Array.from({ length: size }, () => ({ thread: undefined, jobs: [] }))
  }

  /** Has a thread solve the problem that `make` gives; threads start with the first one. */
  solve(make: (takeSpare: TakeSpare) => Solvable, signal?: AbortSignal): Promise<Solved> {
    return this.#ask(() => make((bytes) => this.#takeSpare(bytes)), signal) as Promise<Solved>
  }

  /** Has a thread trace a layer, whose values stay the caller's. */
  trace(layer: Layer, signal?: AbortSignal): Promise<Traced> {
    return this.#ask(() => ({ traced: layer }), signal) as Promise<Traced>
  }

  /** Has a thread compute a layer's output; its values stay the caller's. */
  output(layer: Layer, signal?: AbortSignal): Promise<Solved> {
    return this.#ask(() => ({ layer }), signal) as Promise<Solved>
  }

  /** The smallest that is large enough. */
  #takeSpare(bytes: number): ArrayBuffer | undefined {
    const fitting = this.#spare.filter(({ byteLength }) => bytes >= leastSpare && byteLength >= bytes)
    const best = fitting.sort((a, b) => a.byteLength - b.byteLength)[0]
    this.#spare = this.#spare.filter((buffer) => buffer !== best)
    return best
  }

  /** Takes buffers that nobody needs any more, for the next parts and calls. */
  keep(spent: readonly ArrayBuffer[]): void {
    this.#spare.push(...spent.filter(({ byteLength }) => byteLength >= leastSpare && byteLength <= mostSpare))
    let bytes = this.#spare.reduce((sum, { byteLength }) => sum + byteLength, 0)
    while (bytes > mostSpare) bytes -= this.#spare.shift()?.byteLength ?? 0
  }

  #ask(make: Job['make'], signal: AbortSignal | undefined): Promise<Answer['result']> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ make, resolve, reject, signal, deaths: 0 })
      this.#fill()
    })
  }

  /** Ends all threads and rejects what was waiting with `reason`. */
  end(reason: unknown): void {
    const jobs = [...this.#queue.splice(0), ...this.#seats.flatMap(({ jobs }) => jobs)]
    for (const seat of this.#seats) this.#vacate(seat)
    this.#spare = []
    for (const job of jobs) job.reject(reason)
  }

  /** Ends a seat's thread; gives back what it had not done. */
  #vacate(seat: Seat): Job[] {
    seat.thread?.then(
      (thread) => thread.end(),
      () => {}, // it never began
    )
    seat.thread = undefined
    return seat.jobs.splice(0)
  }

  /** Hands out waiting jobs, one to each seat before any gets a second. */
  #fill(): void {
    for (let held = 0; held < jobsPerSeat; held++) {
      for (const seat of this.#seats) {
        if (seat.jobs.length > held) continue
        const job = this.#nextWanted()
        if (!job) return
        seat.jobs.push(job)
        void this.#post(seat, job)
      }
    }
  }

  /** The next job in the queue that was not aborted. */
  #nextWanted(): Job | undefined {
    for (let job = this.#queue.shift(); job; job = this.#queue.shift()) {
      if (!job.signal?.aborted) return job
      job.reject(job.signal.reason)
    }
    return undefined
  }

  async #post(seat: Seat, job: Job): Promise<void> {
    seat.thread ??= this.#start(seat)
    const starting = seat.thread
    try {
      const thread = await starting
      if (seat.thread !== starting) return // it died, and the job is elsewhere
      thread.hold(true)
      const work = job.make()
      const task: Task = { id: ++this.#count, simd: this.#simd, ...work }
      const transfer = buffersOf({ ...work.problem, room: work.room })
      thread.post(task, transfer as ArrayBuffer[])
    } catch (error) {
      if (seat.thread === starting) this.#died(seat, error instanceof Error ? error.message : String(error))
    }
  }

  #start(seat: Seat): Promise<Thread> {
    const thread = this.#startThread({
      onMessage: (message) => {
        const { result, spent } = message as Answer
        this.keep(spent)
        // A thread does its jobs in order.
        seat.jobs.shift()?.resolve(result)
        if (seat.jobs.length === 0) void thread.then(({ hold }) => hold(false))
        this.#fill()
      },
      onDeath: (reason) => {
        if (seat.thread === thread) this.#died(seat, reason)
      },
    })
    return thread
  }

  /** A new thread takes over the jobs of a dead one; the one that it was at, only once. */
  #died(seat: Seat, reason: string): void {
    const [current, ...waiting] = this.#vacate(seat)
    this.#queue.unshift(...waiting)
    if (current) {
      current.deaths += 1
      if (current.deaths < 2) this.#queue.unshift(current)
      else current.reject(new WorkerDeath(reason))
    }
    this.#fill()
  }
}
