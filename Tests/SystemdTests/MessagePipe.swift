import Glibc
import Testing

/// A pair of sockets that preserves the boundaries of writes, so that a test can count the writes.
struct MessagePipe: ~Copyable {
    /// Descriptor to which a handler writes.
    let input: CInt

    private let output: CInt

    init() throws {
        var pair: [CInt] = [-1, -1]
        let type = CInt(SOCK_SEQPACKET.rawValue) | CInt(SOCK_NONBLOCK.rawValue)
        try #require(socketpair(AF_UNIX, type, 0, &pair) == 0)
        input = pair[0]
        output = pair[1]
    }

    /// Returns the strings that were written since the last call, one for each `write(2)`.
    func pieces() -> [String] {
        var pieces: [String] = []
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(output, &bytes, bytes.count)
            guard count > 0 else { return pieces }
            pieces.append(String(decoding: bytes.prefix(count), as: UTF8.self))
        }
    }

    deinit {
        close(input)
        close(output)
    }
}
