// Renders the guides in /docs to one JSON file. The dashboard embeds the file and
// serves the pages at /docs. A link to a page or heading that does not exist is
// an error.
import hljs from 'highlight.js/lib/common'
import MarkdownIt from 'markdown-it'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/**
 * Returns the site as bytes: every page with its HTML and its sections, in reading
 * order. appSource is a folder of source code. Its links to /docs are also checked.
 */
export function renderDocs(root, appSource) {
  const sources = readSources(root)
  const pages = sources.map(renderPage)
  const problems = [...checkLinks(pages), ...checkListed(pages), ...(appSource ? checkAppLinks(pages, appSource) : [])]
  if (problems.length > 0) throw new Error(`docs:\n${problems.join('\n')}`)
  const site = readingOrder(pages).map((entry) => publicPage(pages.find((p) => p.path === entry.path), entry.group))
  return Buffer.from(JSON.stringify({ pages: site }, null, 1) + '\n')
}

function readSources(root) {
  const files = readdirSync(root, { recursive: true }).filter((f) => f.endsWith('.md')).sort()
  return files.map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }))
}

/** The address of a page below /docs: "" for README.md, "design/spool" for design/spool.md. */
function pagePath(file) {
  return file === 'README.md' ? '' : file.replace(/\.md$/, '')
}

const pageURL = (path) => (path === '' ? '/docs' : `/docs/${path}`)

function renderPage({ file, text }) {
  const page = { file, path: pagePath(file), links: [], ids: new Set(), title: '', sections: [] }
  const md = new MarkdownIt({ html: false, linkify: false, highlight })
  md.renderer.rules.table_open = () => '<div class="docs-table" tabindex="0"><table>\n'
  md.renderer.rules.table_close = () => '</table></div>\n'
  const tokens = md.parse(withoutComments(text), {})
  collectSections(tokens, page)
  resolveLinks(tokens, page)
  replaceAlignStyles(tokens)
  page.html = md.renderer.render(tokens, md.options, {})
  return page
}

/** Removes HTML comments. The Markdown files mark generated tables with such comments. */
function withoutComments(text) {
  return text.replace(/<!--[\s\S]*?-->\n?/g, '')
}

function highlight(code, info) {
  const language = info.split(/\s+/)[0]
  if (!hljs.getLanguage(language)) return ''
  return hljs.highlight(code, { language, ignoreIllegals: true }).value
}

/** Gives every heading an id, sets the page's title, and collects the text of each section for the search. */
function collectSections(tokens, page) {
  let section = null
  for (let i = 0; i < tokens.length; i++) {
    const t = tokens[i]
    if (t.type !== 'heading_open') {
      if (section && (t.type === 'inline' || t.type === 'fence')) section.text += ' ' + plainText(t)
      continue
    }
    const title = plainText(tokens[i + 1])
    const level = Number(t.tag.slice(1))
    if (level === 1) page.title = title
    const id = level === 1 ? '' : uniqueID(title, page.ids)
    if (id) t.attrSet('id', id)
    section = { id, title, level, text: '' }
    page.sections.push(section)
    i += 1
  }
  if (!page.title) throw new Error(`docs: ${page.file} has no title`)
}

function plainText(token) {
  if (token.type === 'fence') return token.content
  return token.children.map((c) => (c.type === 'softbreak' ? ' ' : c.content)).join('')
}

/** Returns a heading's id. The id of an error code is the code itself, so that clients can link to it. Other ids follow the rules of GitHub. */
function uniqueID(title, taken) {
  const base = /^[A-Z][A-Z0-9_]+$/.test(title) ? title : title.toLowerCase().replace(/[^\w\- ]/g, '').replaceAll(' ', '-')
  let id = base
  for (let n = 1; taken.has(id); n++) id = `${base}-${n}`
  taken.add(id)
  return id
}

function resolveLinks(tokens, page) {
  let group = ''
  for (const [i, t] of tokens.entries()) {
    if (t.type === 'heading_open' && t.tag === 'h2') group = plainText(tokens[i + 1])
    for (const link of t.children ?? []) {
      if (link.type === 'link_open') resolveLink(link, page, group)
    }
  }
}

function resolveLink(t, page, group) {
  const href = t.attrGet('href')
  if (/^https?:/.test(href) || href.startsWith('/')) return
  const [file, id = ''] = href.split('#')
  const target = file === '' ? page.file : normalize(join(dirname(page.file), file))
  page.links.push({ href, target, id, group })
  t.attrSet('href', pageURL(pagePath(target)) + (id ? `#${id}` : ''))
}

/** Turns the alignment of table cells into classes, because the security policy forbids inline styles. */
function replaceAlignStyles(tokens) {
  for (const t of tokens) {
    const style = t.attrGet('style')
    if (style === null) continue
    t.attrs = t.attrs.filter(([name]) => name !== 'style')
    if (style.includes('right')) t.attrSet('class', 'num')
  }
}

function checkLinks(pages) {
  const problems = []
  for (const page of pages) {
    for (const { href, target, id } of page.links) {
      const to = pages.find((p) => p.file === target)
      if (!to) problems.push(`${page.file}: ${href} links to a page that does not exist`)
      else if (id && !to.ids.has(id)) problems.push(`${page.file}: ${href} links to a heading that does not exist`)
    }
  }
  return problems
}

function checkAppLinks(pages, folder) {
  const problems = []
  for (const file of readdirSync(folder, { recursive: true }).filter((f) => /\.tsx?$/.test(f))) {
    for (const [, path, id] of readFileSync(join(folder, file), 'utf8').matchAll(/['"]\/docs\/?([\w/-]*)(?:#([\w-]+))?['"]/g)) {
      const to = pages.find((p) => p.path === path)
      if (!to || (id && !to.ids.has(id))) problems.push(`${file}: /docs/${path}${id ? '#' + id : ''} does not exist`)
    }
  }
  return problems
}

/** Returns the pages in the order in which README.md (the table of contents) lists them below its headings. */
function readingOrder(pages) {
  const index = pages.find((p) => p.path === '')
  const entries = [{ path: '', group: '' }]
  for (const { target, id, group } of index.links) {
    const path = pagePath(target)
    if (group && !id && !entries.some((e) => e.path === path)) entries.push({ path, group })
  }
  return entries
}

function checkListed(pages) {
  const listed = readingOrder(pages).map((e) => e.path)
  return pages.filter((p) => !listed.includes(p.path)).map((p) => `${p.file}: README.md does not list this page below a heading`)
}

function publicPage({ path, title, html, sections }, group) {
  const trimmed = sections.map((s) => ({ ...s, text: s.text.replace(/\s+/g, ' ').trim() }))
  return { path, url: pageURL(path), group, title, html, sections: trimmed }
}
