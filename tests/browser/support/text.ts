import type { Locator } from 'playwright-core'

/** All text of an element, its shadow trees included, whatever the elements are that hold it. */
export const textOf = (element: Locator) =>
  element.evaluate((root) => {
    const texts: string[] = []
    const walk = (node: Node) => {
      if (node.nodeType === Node.TEXT_NODE) texts.push(node.nodeValue ?? '')
      if (node instanceof Element && node.shadowRoot) walk(node.shadowRoot)
      node.childNodes.forEach(walk)
    }
    walk(root)
    return texts.join(' ').replace(/\s+/g, ' ')
  })
