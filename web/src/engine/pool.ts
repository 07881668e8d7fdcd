// Threads that solve parts of a problem side by side. They share no memory, so no
// special headers are needed: inputs are copied to them, outputs come back.

import type { Problem } from './attention.ts'
import type { Core } from './core.ts'
import type { Simd } from './simd.ts'
import { startThread, type Thread } from './threads.ts'

/** To a thread: load the build, and solve the problem if there is one. */
export interface Task {
  readonly id: number
  readonly simd: Simd
  readonly problem?: Problem | undefined
}

/** From a thread: what the core said. */
export interface Answer {
  readonly id: number
  readonly result: ReturnType<Core['attend']>
}

interface Job {
  /** Made when a thread is free for it: copies of all parts at once would need much memory. */
  readonly make: () => Problem
  readonly resolve: (result: Answer['result']) => void
  readonly reject: (reason: unknown) => void
  readonly signal: AbortSignal | undefined
  deaths: number
}

interface Seat {
  thread: Thread | undefined
  job: Job | undefined
}

/** A thread died twice on the same job. */
export class WorkerDeath extends Error {}

export class Pool {
  readonly #simd: Simd
  readonly #startThread: typeof startThread
  readonly #seats: Seat[]
  readonly #queue: Job[] = []
  #count = 0

  /** `start` starts a thread; tests give one that dies. */
  constructor(simd: Simd, size: number, start: typeof startThread = startThread) {
    this.#simd = simd
    this.#startThread = start
    this.#seats = Array.from({ length: size }, () => ({ thread: undefined, job: undefined }))
  }

  /** Has a thread solve the problem that `make` gives; threads start with the first one. */
  solve(make: () => Problem, signal?: AbortSignal): Promise<Answer['result']> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ make, resolve, reject, signal, deaths: 0 })
      for (const seat of this.#seats) this.#next(seat)
    })
  }

  /** Ends all threads and rejects what was waiting with `reason`. */
  end(reason: unknown): void {
    const jobs = [...this.#queue.splice(0), ...this.#seats.flatMap(({ job }) => job ?? [])]
    for (const seat of this.#seats) this.#vacate(seat)
    for (const job of jobs) job.reject(reason)
  }

  #vacate(seat: Seat): void {
    seat.thread?.end()
    seat.thread = undefined
    seat.job = undefined
  }

  /** Gives a free seat the next job that is still wanted. */
  #next(seat: Seat): void {
    if (seat.job) return
    let job = this.#queue.shift()
    while (job?.signal?.aborted) {
      job.reject(job.signal.reason)
      job = this.#queue.shift()
    }
    seat.job = job
    seat.thread?.hold(job !== undefined)
    if (job) void this.#run(seat, job)
  }

  async #run(seat: Seat, job: Job): Promise<void> {
    try {
      seat.thread ??= await this.#start(seat)
      if (seat.job !== job) return
      seat.thread.hold(true)
      const problem = job.make()
      const transfer = Object.values(problem).flatMap((value) => (ArrayBuffer.isView(value) ? [value.buffer] : []))
      const task: Task = { id: ++this.#count, simd: this.#simd, problem }
      seat.thread.post(task, transfer as ArrayBuffer[])
    } catch (error) {
      this.#died(seat, error instanceof Error ? error.message : String(error))
    }
  }

  #start(seat: Seat): Promise<Thread> {
    return this.#startThread({
      onMessage: (message) => {
        const job = seat.job
        seat.job = undefined
        job?.resolve((message as Answer).result)
        this.#next(seat)
      },
      onDeath: (reason) => this.#died(seat, reason),
    })
  }

  /** A new thread takes over the job of a dead one, once. */
  #died(seat: Seat, reason: string): void {
    const job = seat.job
    this.#vacate(seat)
    if (job) {
      job.deaths += 1
      if (job.deaths < 2) this.#queue.unshift(job)
      else job.reject(new WorkerDeath(reason))
    }
    this.#next(seat)
  }
}
