// The changes between two versions in words and YAML. The server sends paths and JSON.

const owners: Record<string, string> = { models: 'Model', providers: 'Provider', routes: 'Route', experiments: 'Experiment' }

/** Where a change is: "Route auto, rule first: min_quality". A path of another form stays as it is. */
export function describePath(path: string, value: string): string {
  const rule = /^routes\.(.+?)\.select\[([^\]]+)\](?:\.(.+))?$/.exec(path)
  if (rule) return `Route ${rule[1]}, rule ${/^\d+$/.test(rule[2]!) ? Number(rule[2]) + 1 : rule[2]}${rule[3] ? `: ${rule[3]}` : ''}`
  const [, section = '', name] = /^(\w+)\.(.+)$/.exec(path) ?? []
  // A name may contain dots, so only the name in the value tells where it ends.
  const whole = parse(value) as { name?: unknown; id?: unknown } | undefined
  return owners[section] && whole && (whole.name ?? whole.id) === name ? `${owners[section]} ${name}` : path
}

/** A value as a policy document writes it. A text that is no JSON object or list stays as it is. */
export function toYAML(text: string): string {
  const value = parse(text)
  return value === undefined ? text : block(value, '')
}

/** Parses an object or a list; undefined for other texts. */
function parse(text: string): object | undefined {
  if (!/^[[{]/.test(text)) return undefined
  try {
    return JSON.parse(text) as object
  } catch {
    return undefined
  }
}

/** The longest value that is written on one line. */
const maxLine = 60

const fitsLine = (value: unknown): boolean => typeof value !== 'object' || value === null || flow(value).length <= maxLine

function block(value: unknown, indent: string): string {
  if (fitsLine(value)) return flow(value)
  if (Array.isArray(value)) return value.map((v) => `${indent}- ${block(v, indent + '  ').trimStart()}`).join('\n')
  return Object.entries(value as object).map(([name, v]) => `${indent}${flow(name)}:${fitsLine(v) ? ' ' : '\n'}${block(v, indent + '  ')}`).join('\n')
}

function flow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`
  if (typeof value === 'object' && value !== null) return `{${Object.entries(value).map(([name, v]) => `${flow(name)}: ${flow(v)}`).join(', ')}}`
  return typeof value === 'string' && /^[A-Za-z$/][\w $./@#%+-]*$/.test(value) && !/ (?:#|$)/.test(value) && !/^(?:true|false|null|yes|no|on|off)$/i.test(value) ? value : JSON.stringify(value)
}
