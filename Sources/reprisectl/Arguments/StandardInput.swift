import Synchronization
import SystemPackage

/// Reader for text on standard input.
enum StandardInput {
    /// Maximum size of the text in bytes.
    static let maximumBytes = 16 << 20
    private static let wasRead = Mutex(false)

    /// Reads all text from standard input.
    ///
    /// - Throws: ``Failure`` if the input is not valid text for a call, or has already been read.
    static func readText(in context: CommandContext) throws -> String {
        if context.readsCommandsFromStandardInput {
            throw Failure(
                "the batch is read from standard input, so - cannot read text from it: put the batch "
                    + "in a file, or write the text in the line.", status: .usage)
        }
        let wasRead = wasRead.withLock { wasRead in
            defer { wasRead = true }
            return wasRead
        }
        if wasRead {
            throw Failure(
                "an earlier line has read all of standard input, so nothing is left for another -: write "
                    + "the text in the line.", status: .usage)
        }
        var bytes: [UInt8] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 8)
        defer { buffer.deallocate() }
        while true {
            let count: Int
            do {
                count = try FileDescriptor.standardInput.read(into: buffer)
            } catch {
                throw Failure("standard input cannot be read: \(error).", status: .usage)
            }
            if count == 0 { break }
            bytes += buffer[..<count]
            if bytes.count > maximumBytes {
                throw Failure(
                    "the text on standard input has more than \(maximumBytes) bytes, the maximum "
                        + "for a text: use a shorter text.", status: .usage)
            }
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(
                "the text on standard input is not UTF-8: encode it as UTF-8.", status: .usage)
        }
        if bytes.contains(0) {
            throw Failure(
                "the text on standard input contains a NUL (U+0000), which is not allowed: remove it.",
                status: .usage)
        }
        return text
    }
}
