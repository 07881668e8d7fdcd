// Sets a custom property of an element through the CSSOM. A style attribute in
// the HTML would need style-src 'unsafe-inline', which course sites don't grant.

import { noChange } from 'lit'
import { Directive, directive, type ElementPart, type PartInfo, PartType } from 'lit/directive.js'

class Paint extends Directive {
  #painted: string | undefined

  constructor(part: PartInfo) {
    super(part)
    if (part.type !== PartType.ELEMENT) throw new Error('paint() belongs on an element')
  }

  override update(part: ElementPart, [name, value]: [string, string]) {
    if (value !== this.#painted) {
      const { style } = part.element as HTMLElement
      style.setProperty(name, value)
      this.#painted = value
    }
    return noChange
  }

  render(_name: string, _value: string) {
    return noChange
  }
}

export const paint = directive(Paint)
