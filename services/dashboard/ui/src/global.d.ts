declare module '*.woff2'
