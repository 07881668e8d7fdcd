// Run in Node by the build: what the core answers to the widget's first state, as the
// text of a module. All is done while this module is imported; Vite lets go of it then.

import { loadAttention } from './engine/index.ts'
import { recording } from './lab/model/recorded.ts'
import { ruleControls, ruleIfOn } from './lab/model/rules.ts'
import { sceneOf } from './lab/model/scene.ts'
import { matrixOf, type Stage } from './lab/model/stage.ts'
import { start } from './lab/model/state.ts'
import { rowSums } from './lab/model/sums.ts'
import { literal } from './literal.ts'

const answers: Record<string, unknown> = {}
const engine = recording(await loadAttention({ simd: 'simd', workers: 0 }), answers)
const { layer, settings, places, stages } = sceneOf(engine, start)
for (const control of ruleControls) ruleIfOn(engine, control, settings, places[0] as (typeof places)[0])
engine.inspect({ ...layer, stage: start.stage, index: [0, 0, ...start.cell] })
rowSums(engine, matrixOf(stages.get('weights') as Stage, [0, 0]))

export default `export default ${literal(answers)}\n`
