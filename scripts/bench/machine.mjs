// What the numbers were measured on.

import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'

export const describeMachine = () => ({
  processor: cpus()[0]?.model.trim() ?? 'unknown',
  cores: availableParallelism(),
  memoryBytes: totalmem(),
  platform: `${process.platform}-${process.arch}`,
  node: process.versions.node,
  v8: process.versions.v8,
  date: new Date().toISOString(),
  // Other work takes time from the contestants: 0 is a machine of our own.
  loadBefore: loadavg()[0],
})
