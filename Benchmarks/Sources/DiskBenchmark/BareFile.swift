import Foundation

/// A file that bytes are appended to, and nothing else: what no durable change can be faster than.
final class BareFile {
    private let descriptor: CInt
    private let bytes: [UInt8]

    /// - Parameter byteCount: how many bytes an append has.
    init(folder: String, byteCount: Int) throws {
        descriptor = try check(
            open(folder + "/bare", O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0o600))
        bytes = Array(repeating: 7, count: byteCount)
    }

    deinit { close(descriptor) }

    func append() throws {
        guard try check(write(descriptor, bytes, bytes.count)) == bytes.count else {
            throw POSIXError(.EIO)
        }
    }

    func appendDurably() throws {
        try append()
        _ = try check(fdatasync(descriptor))
    }
}
