// Gives the widget the module 'virtual:formulas': a Lit template of MathML for each
// formula of src/lab/formulas.ts, with the slots' numbers as its values.

import { join } from 'node:path'
import temml from 'temml'
import { type Plugin, runnerImport } from 'vite'

const name = 'virtual:formulas'
const source = join(import.meta.dirname, 'src/lab/formulas.ts')

/**
 * MathML without style and class attributes, which a content policy or another style
 * sheet could undo. Browsers don't break the lines of a formula, so one that joins
 * conditions is several, between which a line may end.
 */
export function mathml(latex: string): string {
  return latex
    .split(/ (?=\\l(?:and|or)\b)/)
    .map(unbroken)
    .join(' ')
}

function unbroken(latex: string): string {
  const marked = latex.replace(/\\(slot|word)\{(\w+)\}/g, String.raw`\text{⟦$1:$2⟧}`)
  const markup = temml.renderToString(marked, { throwOnError: true, strict: true })
  return markup
    .replace(/ (?:style|class)="[^"]*"/g, '')
    .replace(/<mtext>⟦slot:(\w+)⟧<\/mtext>/g, '<mn>⟦$1⟧</mn>')
    .replaceAll('⟦word:', '⟦')
}

/** The module's text: a function from slots to a template for each formula. */
export function formulaModule(latex: Readonly<Record<string, string>>): string {
  const templates = Object.entries(latex).map(([formula, text]) => {
    const markup = mathml(text)
    if (/[`\\$]/.test(markup)) throw new Error(`The formula ${formula} does not fit into a template: ${markup}`)
    const template = markup.replace(/⟦(\w+)⟧/g, (_, slot) => `\${s.${slot}}`)
    return `  ${formula}: (s) => html\`${template}\`,\n`
  })
  return `import { html } from 'lit'\nexport default {\n${templates.join('')}}\n`
}

export const formulas: Plugin = {
  name: 'formulas',
  resolveId: (id) => (id === name ? `\0${name}` : undefined),
  async load(id) {
    if (id !== `\0${name}`) return undefined
    this.addWatchFile(source)
    const { module } = await runnerImport<typeof import('./src/lab/formulas.ts')>(source)
    return formulaModule(module.latex)
  },
}
