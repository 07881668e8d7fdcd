/** What the build asked the core (web/vite.first-answers.ts). */
declare module 'virtual:first-answers' {
  const answers: import('./lab/model/recorded.ts').Answers
  export default answers
}

/** The formulas as MathML (web/vite.formulas.ts), by their names in lab/formulas.ts. */
declare module 'virtual:formulas' {
  type Names = import('./lab/formulas.ts').FormulaName
  type SlotsOf<Name extends Names> = import('./lab/formulas.ts').Slots<Name>
  const formulas: { readonly [Name in Names]: (slots: SlotsOf<Name>) => import('lit').TemplateResult }
  export default formulas
}
