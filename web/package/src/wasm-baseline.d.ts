// Written by build.mjs: the module as gzip in base64.
declare const base64: string;
export default base64;
