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
                bytes: script(PackageResources.page_js)),
            PageFile(
                path: "/page.css", contentType: "text/css; charset=utf-8",
                bytes: PackageResources.page_css),
        ]

        /// Returns a script without indentation, empty lines and lines that contain only a comment.
        static func script(_ source: [UInt8]) -> [UInt8] {
            let lines = source.split(separator: UInt8(ascii: "\n")).map { line in
                line.drop { $0 == UInt8(ascii: " ") }
            }
            let shownLines = lines.filter { line in
                !line.isEmpty && !line.starts(with: "//".utf8) && !line.starts(with: "/**".utf8)
            }
            return Array(shownLines.joined(separator: [UInt8(ascii: "\n")]))
        }

        var response: Response {
            Response(
                status: .ok, headers: [.contentType: contentType],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
        }
    }
#endif
