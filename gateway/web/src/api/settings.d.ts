declare module 'virtual:settings' {
  const settings: Record<import('./client').PlatformName, import('../pages/compose/settings/described').Described>
  export default settings
}
