// browserOf is what people call the browser that names itself so.
export function browserOf(agent: string): string {
  const browser = /(Firefox|Edg|OPR|Chrome|Safari)\//.exec(agent)?.[1]?.replace('Edg', 'Edge').replace('OPR', 'Opera')
  const system = /(Windows|Mac OS|Android|iPhone|iPad|Linux)/.exec(agent)?.[1]?.replace('Mac OS', 'macOS')
  return [browser, system].filter(Boolean).join(' · ') || agent
}
