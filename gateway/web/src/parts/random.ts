// randomId is what nothing else is called. Browsers have crypto.randomUUID only where TLS protects the page.
export const randomId = () => [...crypto.getRandomValues(new Uint8Array(16))].map((b) => b.toString(16).padStart(2, '0')).join('')
