#if Web
    import Hummingbird
    import NIOCore

    /// File of the page.
    struct PageFile: Sendable {
        let path: String
        let contentType: String
        let bytes: [UInt8]

        static let all = [
            PageFile(
                path: "/", contentType: "text/html; charset=utf-8",
                bytes: PackageResources.index_html),
            PageFile(
                path: "/page.js", contentType: "text/javascript; charset=utf-8",
                bytes: PackageResources.page_js),
            PageFile(
                path: "/page.css", contentType: "text/css; charset=utf-8",
                bytes: PackageResources.page_css),
        ]

        var response: Response {
            Response(
                status: .ok, headers: [.contentType: contentType],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
        }
    }
#endif
