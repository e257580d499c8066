// Described is what the API's description says of a setting: the part of JSON Schema that settings use.
export type Described = {
  type?: 'string' | 'boolean' | 'integer' | 'number' | 'array' | 'object'
  description?: string
  enum?: string[]
  default?: string | boolean
  format?: string
  pattern?: string
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  items?: Described
  properties?: Record<string, Described>
  required?: string[]
  oneOf?: Described[]
}

// Value is a setting's; undefined: it is left out.
export type Value = string | number | boolean | Value[] | { [name: string]: Value | undefined } | undefined

// Group are settings by their names.
export type Group = { [name: string]: Value }

// inputTypeOf is the browser's input for a text, by its format or by the form that it has to have.
export function inputTypeOf({ format, pattern }: Described): string {
  if (format === 'uri') return 'url'
  if (pattern === '^[0-9]{4}-[0-9]{2}-[0-9]{2}$') return 'date'
  return pattern?.endsWith(':[0-5][0-9]$') ? 'time' : 'text'
}

// emptyOf is what a list gets as its next item, and a group as it is begun.
export function emptyOf({ type, minItems, items }: Described): Value {
  if (type === 'object') return {}
  return type === 'array' ? Array.from({ length: minItems ?? 1 }, () => (items ? emptyOf(items) : '')) : ''
}

// countSet is how many of the settings say something.
export const countSet = (group: Group = {}) => Object.values(group).filter((v) => v !== undefined).length
