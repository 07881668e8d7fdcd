// <attention-playground>: holds the state, asks the engine, hands the answer to its
// parts. It is given an engine and loads none.

import { html, LitElement, nothing, type PropertyValues } from 'lit'
import type { Attention, CellRecord, Cells } from '../engine/index.ts'
import { Announcing } from './announcing.ts'
import type { SettingDetail } from './attention-field.ts'
import type { StageStroke } from './attention-stage.ts'
import type { FormatName, Tool } from './attention-toolbar.ts'
import { Escaping } from './escaping.ts'
import { FocusKeeping } from './focus-keeping.ts'
import { InSight } from './in-sight.ts'
import { Width } from './matrix/width.ts'
import { edited, editsLostBy, given, painted, picked } from './model/actions.ts'
import { headAt, headsOf, indexOf, type Place, placeOf, type StageCell, sourcesBehind } from './model/chain.ts'
import { settingsSaid } from './model/changes.ts'
import { changed as afterChange, begin, type History, redone, undone } from './model/history.ts'
import { Lesson } from './model/lesson.ts'
import { keyOf, linkOf, readLink, tagOf } from './model/link.ts'
import { complaintsOf, fitting } from './model/misfits.ts'
import { NotRecorded } from './model/recorded.ts'
import { remembering } from './model/remembering.ts'
import type { Scene } from './model/scene.ts'
import { countOf } from './model/settings.ts'
import { stageIn } from './model/shapes.ts'
import type { Matrix, StageName } from './model/stage.ts'
import { attributeOf, fields, type Name, names, type State, sameNumbers, start } from './model/state.ts'
import { rowSums } from './model/sums.ts'
import { playgroundStyle } from './playground-style.ts'
import { isDrawn } from './stage-look.ts'
import { Telling } from './telling.ts'
import { Tracing } from './tracing.ts'
import { fieldWords, labWords as words } from './words.ts'

/** From this width on all stages stand beside each other, and three columns below them. */
const wideAt = 1080
/** From this width on the strip shows the whole chain at once. */
const chainAt = 880

const byAttribute = new Map(names.map((name) => [attributeOf(name), name]))

/**
 * A layer of attention, from tokens to output, in which everything can be changed.
 * Every field of the state (model/state.ts) is an attribute, such as `query-heads`;
 * attributes say where the lesson starts, and Reset goes back there. Every field is a
 * property too, such as `queryHeads`; to set one is what a person would do.
 *
 * @fires {CustomEvent<string>} change - After a change: the state's link, as `link` has it. Bubbles.
 */
export class AttentionPlayground extends LitElement {
  static override properties = {
    engine: { attribute: false },
    first: { attribute: false },
    failure: { attribute: false },
    address: { attribute: false },
    loadGpu: { attribute: false },
    history: { state: true },
    pointed: { state: true },
    complaints: { state: true },
  }
  /** The core that computes every number. */
  declare engine: Attention | undefined
  /** What stands in for the engine until it comes, with answers to the first questions (model/recorded.ts). */
  declare first: Attention | undefined
  /** Why there is no engine, as a sentence. */
  declare failure: string | undefined
  /** The address that a link to a state begins with; without it, sharing gives a tag. */
  declare address: string | undefined
  /** Loads an engine that computes on the graphics card; without it there is no such choice. */
  declare loadGpu: (() => Promise<Attention>) | undefined
  declare history: History
  declare pointed: StageCell | undefined
  declare complaints: readonly string[]

  readonly #lesson = new Lesson()
  readonly #tracing = new Tracing(this)
  readonly #telling = new Telling(this)
  #record: CellRecord | undefined
  /** Whether the stroke that is being made has changed something. */
  #hasPainted = false
  readonly #announcing = new Announcing(this, start, () => this.#tracing.scene?.rules.map(({ name }) => name) ?? [])

  static override get observedAttributes() {
    // biome-ignore lint/complexity/noThisInStatic: Lit's getter has to be asked of this class.
    return [...super.observedAttributes, ...byAttribute.keys()]
  }

  static override styles = playgroundStyle

  readonly #width = new Width(this)

  constructor() {
    super()
    new Escaping(this, () => this.state.locked && this.#free())
    new FocusKeeping(this)
    new InSight(this, () => this.#width.now >= wideAt)
    this.history = begin(start)
    this.complaints = []
    for (const name of names) {
      // A property that the page set before the element was defined.
      if (Object.hasOwn(this, name)) {
        const value = (this as unknown as State)[name]
        delete (this as { [N in Name]?: unknown })[name]
        this.set(name, value)
      }
    }
  }

  override attributeChangedCallback(attribute: string, old: string | null, text: string | null) {
    super.attributeChangedCallback(attribute, old, text)
    const name = byAttribute.get(attribute)
    if (name === undefined) return
    const link = linkOf(this.state, this.#lesson.start)
    this.#lesson.take(name, text)
    // The lesson starts elsewhere; what a person has changed since stays changed.
    this.#begin(readLink(link, this.#lesson.start).state)
    this.complaints = this.#lesson.complaints
  }

  #begin(state: State) {
    this.history = begin(state)
    this.#announcing.begin(state)
  }

  get state(): State {
    return this.history.now.state
  }

  /** The state as the query of an address, without its question mark: what differs from the lesson's start. */
  get link(): string {
    const { start } = this.#lesson
    return linkOf(fitting(this.state, start), start)
  }

  set link(query: string) {
    const { state, complaints } = readLink(query, this.#lesson.start)
    this.complaints = [...this.#lesson.complaints, ...complaints, ...complaintsOf(state, this.#lesson.start, keyOf)]
    this.#begin(state)
  }

  /** Changes fields of the state, as one step that can be undone. */
  change(changes: Partial<State>) {
    this.#take(afterChange(this.history, { ...this.state, ...changes }, performance.now()))
  }

  #take(history: History) {
    this.history = history
    this.#telling.over()
    // What was wrong with a link is over once somebody goes on from there.
    this.complaints = this.#lesson.complaints
    this.dispatchEvent(new CustomEvent('change', { detail: this.link, bubbles: true }))
    this.#announcing.changed()
  }

  /** A field is set by the page's script; what it cannot hold is complained of and changes nothing. */
  set(name: Name, value: unknown) {
    if (value === undefined && start[name] === undefined) return this.change({ [name]: undefined })
    const field = fields[name]
    const read = (value: unknown) => field.read((field.write as (value: unknown) => string)(value))
    if (read(value) === undefined) {
      this.complaints = [...this.complaints, fieldWords.refused(name, field.expects, String(value), fieldWords.kept)]
    } else {
      // A script sets one after another.
      const { complaints } = this
      this.change(given(name, value, this.state))
      this.complaints = complaints
    }
  }

  protected override willUpdate(changed: PropertyValues) {
    const before = changed.get('history') as History | undefined
    // The card is about the stage that is shown, however it came to be.
    if (before && before.now.state.stage !== this.state.stage) this.pointed = undefined
    const asksAnew = changed.has('engine') || changed.has('first')
    if (asksAnew || (changed.has('history') && !(before && sameNumbers(before.now.state, this.state)))) {
      this.#tracing.ask(this.engine, this.first)
    } else if (before && before.now.state.weightsBy !== this.state.weightsBy) void this.#tracing.askOther()
    this.#inspect()
  }

  /** The sequence and the query head that are looked at. */
  get #place(): Place {
    return { sequence: countOf('sequence', this.state), head: countOf('head', this.state) }
  }

  /** The stage that is looked at. */
  #stageIn({ settings }: Scene): StageName {
    return stageIn(settings, this.state.stage)
  }

  /** The cell that is pointed at; else the one that the state names, or the nearest one that there is. */
  #shown(scene: Scene): StageCell {
    if (this.pointed && !this.state.locked && indexOf(this.pointed, this.#place.sequence, scene)) return this.pointed
    const stage = scene.stages.get(this.#stageIn(scene))
    const [rows = 0, columns = 0] = stage?.shape.slice(-2) ?? []
    const [row = 0, column = 0] = this.state.cell
    return {
      stage: this.#stageIn(scene),
      head: stage ? headAt(stage, this.#place, scene) : 0,
      row: Math.max(Math.min(row, rows - 1), 0),
      column: Math.max(Math.min(column, columns - 1), 0),
    }
  }

  #inspect() {
    this.#record = undefined
    const { scene } = this.#tracing
    const engine = this.engine ?? this.first
    if (!scene || !engine) return
    const shown = this.#shown(scene)
    const index = indexOf(shown, this.#place.sequence, scene)
    if (!index) return
    try {
      this.#record = engine.inspect({ ...scene.layer, stage: shown.stage, index })
    } catch (error) {
      if (!(error instanceof NotRecorded)) throw error
    }
  }

  override render() {
    return html`
      <div class="widget" @keydown=${this.#shortcut}>
        <h2 class="unseen">${words.title}</h2>
        <div class="head">
          <span class="engine soft">${this.#engineSays()}</span>
          ${
            this.loadGpu
              ? html`<attention-field name="weightsBy" .state=${this.state} @setting=${this.#set}></attention-field>`
              : nothing
          }
          <attention-toolbar
            ?undoable=${this.history.past.length > 0}
            ?redoable=${this.history.future.length > 0}
            ?changed=${linkOf(this.state, this.#lesson.start) !== ''}
            ?link=${this.address !== undefined}
            @tool=${(event: CustomEvent<Tool>) => this.#use(event.detail)}
            @export=${(event: CustomEvent<FormatName>) => this.#telling.save(() => this.#export(event.detail))}
          ></attention-toolbar>
        </div>
        <p class="settings soft">${settingsSaid(this.state).join(' · ')}</p>
        ${this.#telling.render()} ${this.complaints.map((sentence) => html`<p class="refusal" role="alert">${sentence}</p>`)}
        ${this.#whole()}
      </div>
      <p class="unseen" role="status">${this.#announcing.text}</p>
    `
  }

  #engineSays() {
    const { busy, other, otherRefusal } = this.#tracing
    if (busy) return words.computing
    if (!this.engine) return this.failure ? nothing : this.#tracing.scene ? words.recorded : words.loading
    const weights = other ? words.weightsFrom(other) : otherRefusal && words.noWeights(otherRefusal)
    return `${words.computedBy(this.engine.info.simd)}${weights ?? ''}`
  }

  #whole() {
    const { scene, isBegun } = this.#tracing
    const engine = this.engine ?? this.first
    const instead = this.#instead()
    const whole = instead === undefined ? scene : undefined
    const isAwaited = instead === undefined && !whole
    const shown = whole && this.#shown(whole)
    const sources = whole && this.#record ? sourcesBehind(this.#record, whole) : []
    // What is not there has its room kept, so that nothing moves when it comes. The controls
    // are the same elements whatever there is to show: whoever types a number that is refused
    // goes on in the field where they are.
    return html`
      ${whole && shown ? this.#strip(whole, shown, sources) : html`<div class="strip"></div>`}
      <div class="body">
        <div class=${isAwaited ? 'stage awaited' : 'stage'}>
          ${instead ?? (whole && shown && !isBegun ? this.#stage(whole, shown, sources) : nothing)}
        </div>
        <div class="card">${whole && shown && !isBegun ? this.#card(whole, shown) : nothing}</div>
        <attention-controls .state=${this.state} @setting=${this.#set}></attention-controls>
        <attention-rules
          .state=${this.state}
          .scene=${scene}
          .inputs=${engine && remembering(engine)}
          @setting=${this.#set}
        ></attention-rules>
      </div>
    `
  }

  /** What stands in the stage's place, if it cannot be shown. */
  #instead() {
    const { scene, refusal } = this.#tracing
    const refused = this.failure ?? refusal
    if (refused !== undefined) return html`<p class="refusal" role="alert">${refused}</p>`
    if (scene?.settings.keys === 0) return html`<p class="soft">${words.empty}</p>`
    return undefined
  }

  #strip(scene: Scene, shown: StageCell, sources: readonly Cells[]) {
    const index = indexOf(shown, this.#place.sequence, scene)
    return html`
      <attention-strip
        .scene=${scene}
        .chosen=${this.#stageIn(scene)}
        .place=${placeOf(shown, this.#place, scene)}
        .ranges=${this.#tracing.ranges}
        .cells=${sources}
        .target=${index && { stage: shown.stage, index, axis: index.length - 1, count: 1 }}
        ?wide=${this.#width.now >= chainAt}
        .width=${this.#width.now}
        @stage=${this.#chooseStage}
      ></attention-strip>
    `
  }

  #stage(scene: Scene, shown: StageCell, sources: readonly Cells[]) {
    const { sequence, head } = this.#place
    return html`
      <attention-stage
        .scene=${scene}
        .stage=${this.#stageIn(scene)}
        .sequence=${sequence}
        .head=${head}
        ?all=${this.state.heads === 'all' && this.state.queryHeads > 1}
        ?roomy=${this.#width.now >= wideAt}
        .shown=${shown}
        ?locked=${this.state.locked}
        .cells=${sources}
        .ranges=${this.#tracing.ranges}
        .rowSums=${this.#rowSums}
        ?painting=${this.state.painted}
        @stage=${this.#chooseStage}
        @look=${(event: CustomEvent<StageCell | undefined>) => {
          this.pointed = event.detail
        }}
        @choose=${(event: CustomEvent<StageCell>) => this.#act(picked(event.detail, scene, this.state))}
        @free=${this.#free}
        @number=${(event: CustomEvent<StageCell & { value: number }>) => this.change(edited(event.detail, event.detail.value, scene, this.state))}
        @stroke=${(event: CustomEvent<StageStroke>) => this.#paint(event.detail, scene)}
        @alone=${(event: CustomEvent<number | undefined>) =>
          this.change(event.detail === undefined ? { heads: 'all' } : { heads: 'one', head: event.detail })}
      >
        ${this.#headFields(scene)}
      </attention-stage>
      ${this.#compared()}
    `
  }

  /** Which heads are shown, where the stage has a matrix for each. */
  #headFields(scene: Scene) {
    const stage = scene.stages.get(this.#stageIn(scene))
    if (!stage || headsOf(stage) === 'none' || this.state.queryHeads === 1) return nothing
    const field = (name: Name) =>
      html`<attention-field class=${`by-${name}`} .name=${name} .state=${this.state} @setting=${this.#set}></attention-field>`
    // A schematic is of one head, whatever is asked for.
    const mayBeAll = isDrawn(stage)
    return html`
      <div class="heads">
        ${mayBeAll ? field('heads') : nothing} ${mayBeAll && this.state.heads === 'all' ? nothing : field('head')}
      </div>
    `
  }

  readonly #rowSums = (matrix: Matrix) => {
    const engine = this.engine ?? this.first
    return engine && rowSums(engine, matrix)
  }

  #card(scene: Scene, shown: StageCell) {
    return html`
      <attention-inspector
        .scene=${scene}
        .cell=${shown}
        .sequence=${this.#place.sequence}
        .record=${this.#record}
        ?locked=${this.state.locked}
      ></attention-inspector>
    `
  }

  /** How a step of decoding compares with the whole. */
  #compared() {
    const { comparison } = this.#tracing
    if (!comparison) return nothing
    return html`<p class="soft">${comparison.different === 0 ? words.cachedSame : words.cachedDiffers(comparison.different, comparison.seesLater)}</p>`
  }

  /** A stroke is one step back, however long it takes, and two are two. */
  #paint(stroke: StageStroke, scene: Scene) {
    const state = { ...this.state, ...painted(stroke, stroke.hide, scene, this.state) }
    if (stroke.begins) this.#hasPainted = false
    const history = afterChange(this.history, state, performance.now(), this.#hasPainted)
    // Its first cells may be what they are to become.
    if (history === this.history) return
    this.#hasPainted = true
    this.#take(history)
  }

  #set(event: CustomEvent<SettingDetail>) {
    const { name, value } = event.detail
    const lost = editsLostBy(name, this.state)
    this.change(given(name, value, this.state, this.#tracing.scene))
    this.#telling.replaced(lost)
  }

  #chooseStage(event: CustomEvent<StageName>) {
    this.#act({ stage: event.detail, locked: false })
  }

  /** Goes to another stage or cell: what was pointed at is left. */
  #act(changes: Partial<State>) {
    this.pointed = undefined
    this.change(changes)
  }

  #free() {
    this.pointed = undefined
    if (this.state.locked) this.change({ locked: false })
  }

  /** Undo and redo by the keys that every program has for them; a text field has its own. */
  #shortcut(event: KeyboardEvent) {
    if (!(event.ctrlKey || event.metaKey) || event.altKey) return
    const target = event.composedPath()[0]
    if (target instanceof HTMLInputElement && target.type === 'text') return
    const key = event.key.toLowerCase()
    const tool = key === 'y' || (key === 'z' && event.shiftKey) ? 'redo' : key === 'z' ? 'undo' : undefined
    if (!tool) return
    event.preventDefault()
    const { past, future } = this.history
    if ((tool === 'undo' ? past : future).length > 0) this.#use(tool)
  }

  #use(tool: Tool) {
    if (tool === 'undo') this.#take(undone(this.history))
    else if (tool === 'redo') this.#take(redone(this.history))
    else if (tool === 'reset') this.change(this.#lesson.start)
    else this.#share()
  }

  #share() {
    const { address, link } = this
    const query = link === '' ? '' : `?${link}`
    void this.#telling.copy(address === undefined ? tagOf(fitting(this.state, start)) : address + query)
  }

  async #export(format: FormatName) {
    const { exportAs } = await import('./export-scene.ts')
    // Looked at only now: a scene is good until another is shown.
    const { scene, ranges } = this.#tracing
    const stage = scene?.stages.get(this.#stageIn(scene))
    if (!scene || !stage) return
    const range = ranges.get(stage.name) ?? { min: 0, max: 1 }
    const all = this.state.heads === 'all'
    await exportAs(format, { scene, stage, place: this.#place, all, range, rowSums: this.#rowSums })
  }
}

for (const name of names) {
  Object.defineProperty(AttentionPlayground.prototype, name, {
    get(this: AttentionPlayground) {
      return this.state[name]
    },
    set(this: AttentionPlayground, value: unknown) {
      this.set(name, value)
    },
    configurable: true,
    enumerable: true,
  })
}
