import{e}from"./chunk-CI77GXQQ.js";var o=1e4;function l(t){e(()=>{let n=setInterval(()=>!document.hidden&&t(),o);return()=>clearInterval(n)},[])}export{l as a};
