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
        let bytes: [UInt8]
        do {
            bytes = try FileDescriptor.standardInput.readToEnd(maximumByteCount: maximumBytes)
        } catch Errno.fileTooLarge {
            throw Failure(
                "the text on standard input has more than \(maximumBytes) bytes, the maximum "
                    + "for a text: use a shorter text.", status: .usage)
        } catch {
            throw Failure("standard input cannot be read: \(error).", status: .usage)
        }
        return try decodeText(bytes, "the text on standard input")
    }

    /// Converts bytes to text that a command line can contain.
    ///
    /// - Parameter subject: Phrase that names the text in error messages.
    /// - Throws: ``Failure`` if the bytes are not UTF-8 or contain a NUL.
    static func decodeText(_ bytes: [UInt8], _ subject: String) throws(Failure) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure("\(subject) is not UTF-8: encode it as UTF-8.", status: .usage)
        }
        if bytes.contains(0) {
            throw Failure(
                "\(subject) contains a NUL (U+0000), which is not allowed: remove it.",
                status: .usage)
        }
        return text
    }
}

extension FileDescriptor {
    /// Reads the next bytes of a file or pipe. The array is empty at the end.
    func readChunk() throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
            count = try read(into: UnsafeMutableRawBufferPointer(buffer))
        }
    }

    /// Reads all remaining bytes of a file or pipe.
    ///
    /// - Throws: `Errno.fileTooLarge` if there are more bytes than the maximum.
    func readToEnd(maximumByteCount: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count <= maximumByteCount {
            let chunk = try readChunk()
            if chunk.isEmpty { return bytes }
            bytes += chunk
        }
        throw Errno.fileTooLarge
    }
}
