// Search in the reference, the language of its samples, and addresses of the time when it was one page.
(() => {
  'use strict'
  const base = new URL('.', document.currentScript.src)

  // Old addresses: /docs#createPost. What it names is a line of the start page, which leads to its place.
  const moved = () => {
    const link = document.getElementById(decodeURIComponent(location.hash.slice(1)))?.querySelector(':scope > a')
    if (link && document.querySelector('#introduction') && link.pathname !== location.pathname) location.replace(link.href)
  }

  // The menu of pages is open where it stands beside the page.
  const menu = document.querySelector('nav details')
  if (menu && matchMedia('(max-width: 860px)').matches) menu.open = false

  // One language for all samples, also on the next page.
  const choose = (language) => {
    for (const input of document.querySelectorAll('.samples input')) if (input.value === language) input.checked = true
  }
  const preferred = (() => { try { return localStorage.getItem('crier-samples') } catch { return null } })()
  if (preferred) choose(preferred)
  document.addEventListener('change', (event) => {
    if (!event.target.matches('.samples input')) return
    const before = event.target.getBoundingClientRect().top
    choose(event.target.value)
    scrollBy({ top: event.target.getBoundingClientRect().top - before, behavior: 'instant' })
    try { localStorage.setItem('crier-samples', event.target.value) } catch { /* it is chosen anew on the next page */ }
  })

  const search = document.querySelector('.search')
  if (!search) return
  search.hidden = false
  const input = search.querySelector('input')
  const list = search.querySelector('#found')
  const hint = search.querySelector('.hint')

  const stopWords = new Set('a an and are as at be by can could do does for from get gets have how i if in is it its make may me my of on one or please should so that the there this to use want was what when where which who why will with without you your'.split(' '))
  const stem = (word) => {
    const singular = word.replace(/ie[sd]$/, 'y').replace(/s$/, '')
    return singular.length > 4 ? singular.replace(/(ing|ion|ed|ly|e)$/, '') : singular
  }
  const split = (text) => {
    const words = new Set()
    for (const word of text.match(/[\p{L}\p{N}_-]+/gu) ?? []) {
      words.add(word.toLowerCase())
      for (const part of word.split(/[_-]|(?<=[a-z0-9])(?=[A-Z])/)) if (part) words.add(stem(part.toLowerCase()))
    }
    return [...words]
  }

  let entries
  const load = async () => {
    if (entries) return
    const response = await fetch(new URL('search.json', base))
    entries = (await response.json()).map((e) => ({ ...e, title: split(e.t), name: split(e.u.split('#')[1] ?? ''), side: split(e.s ?? ''), words: split(e.w ?? '') }))
  }

  // How well a word of a question is one of some words: whole, or its beginning.
  const fits = (word, words, whole, beginning) => {
    let best = 0
    for (const other of words) {
      if (other === word) return whole
      if (word.length > 1 && other.startsWith(word)) best = Math.max(best, beginning)
    }
    return best
  }
  const weight = (word, entry) => Math.max(fits(word, entry.title, 10, 6), fits(word, entry.name, 9, 5), fits(word, entry.side, 4, 2), fits(word, entry.words, 3, 1.5))
  const liked = { heading: 1.25, operation: 1.2, code: 1.1, event: 1, object: 0.75, field: 0.75 }

  // Of how many things of one name the best are shown: many have an id.
  const mostAlike = 2

  const find = (question) => {
    const raw = question.toLowerCase().match(/[\p{L}\p{N}_-]+/gu)?.flatMap((word) => word.includes('-') ? [word, ...word.split('-')] : [word]) ?? []
    const telling = raw.filter((word) => !stopWords.has(word))
    const terms = [...new Set((telling.length ? telling : raw).map((word) => /[_-]/.test(word) ? word : stem(word)))]
    if (!terms.length) return []
    const weights = terms.map((word) => entries.map((entry) => weight(word, entry)))
    const rarity = weights.map((of) => Math.log(1 + entries.length / (1 + of.filter(Boolean).length)))
    const exact = question.trim().toLowerCase()
    return entries
      .map((entry, i) => {
        const hits = weights.filter((of) => of[i]).length
        let score = weights.reduce((sum, of, j) => sum + of[i] * rarity[j], 0) * (hits / terms.length) ** 2 * liked[entry.k]
        // Of two that fit as well, the one whose title says less else.
        score *= 1 - Math.min(entry.title.length, 12) / 60
        return { entry, score: entry.t.toLowerCase() === exact ? score * 3 : score }
      })
      .filter((found) => found.score > 0)
      .sort((a, b) => b.score - a.score)
      .filter(({ entry }, i, all) => all.slice(0, i).filter((other) => other.entry.t === entry.t).length < mostAlike)
      .slice(0, 12)
      .map((found) => found.entry)
  }

  let at = -1
  const close = () => {
    list.hidden = true
    input.setAttribute('aria-expanded', 'false')
    input.removeAttribute('aria-activedescendant')
  }
  const select = (next) => {
    const options = [...list.querySelectorAll('[role="option"]')]
    if (!options.length) return
    at = (next + options.length) % options.length
    options.forEach((option, i) => option.setAttribute('aria-selected', String(i === at)))
    options[at].scrollIntoView({ block: 'nearest' })
    input.setAttribute('aria-activedescendant', options[at].id)
  }
  const element = (name, className, text) => Object.assign(document.createElement(name), { className, textContent: text })

  const show = async () => {
    const question = input.value
    if (!question.trim()) return close()
    try {
      await load()
    } catch {
      hint.textContent = 'The index could not be read.'
      return
    }
    if (question !== input.value) return
    const found = find(question)
    list.replaceChildren(...found.map((entry, i) => {
      const option = Object.assign(element('a', '', ''), { id: `found-${i}`, role: 'option', href: new URL(entry.u, base), tabIndex: -1 })
      option.append(element('span', '', entry.t), element('span', 'kind', entry.k))
      if (entry.s) option.append(element('span', 'side', entry.s))
      return option
    }))
    if (!found.length) list.append(element('p', 'none', 'Nothing is found.'))
    hint.textContent = found.length ? `${found.length} found` : 'Nothing is found.'
    list.hidden = false
    input.setAttribute('aria-expanded', 'true')
    at = -1
    if (found.length) select(0)
  }

  input.addEventListener('input', show)
  input.addEventListener('focus', () => { load().catch(() => {}); if (input.value) show() })
  input.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      select(at + (event.key === 'ArrowDown' ? 1 : -1))
    } else if (event.key === 'Enter') {
      event.preventDefault()
      list.querySelector('[aria-selected="true"]')?.click()
    } else if (event.key === 'Escape') {
      close()
      input.blur()
    }
  })
  list.addEventListener('click', (event) => { if (event.target.closest('a')) close() })
  document.addEventListener('pointerdown', (event) => { if (!search.contains(event.target)) close() })
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input, textarea, select')) return
    event.preventDefault()
    input.focus()
    input.select()
  })

  addEventListener('hashchange', moved)
  moved()
})()
