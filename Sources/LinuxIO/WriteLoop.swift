import Glibc

/// Hands all bytes to a function like write(2), however little it takes at a time.
///
/// - Parameters:
///   - bytes: what to write; nothing is called for no bytes.
///   - write: writes a prefix of what it gets and returns its length, or a negative number and the
///     errno. `EINTR` is tried again, a length of 0 counts as `EIO`, because repeating it could
///     go on for ever.
/// - Returns: `nil` when all was written, else the errno; how much was written is then unknown.
package func writeWhole(
    _ bytes: [UInt8],
    using write: (UnsafeRawBufferPointer) -> (count: Int, code: CInt)
) -> CInt? {
    bytes.withUnsafeBytes { whole in
        var written = 0
        while written < whole.count {
            let result = write(UnsafeRawBufferPointer(rebasing: whole[written...]))
            if result.count > 0 {
                written += result.count
            } else if result.count == 0 {
                return EIO
            } else if result.code != EINTR {
                return result.code
            }
        }
        return nil
    }
}
