import Glibc
import SystemPackage

/// Pseudo-terminal for a program. A test reads and writes its controlling side.
final class PseudoTerminal {
    /// Descriptor of the controlling side.
    let controller: CInt
    /// Path of the side that the program uses.
    let path: String

    init(lines: Int = 24, columns: Int = 80) throws {
        controller = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        // TIOCSPTLCK and TIOCGPTN, whose definitions are too complex for Swift.
        var (lock, number): (CInt, CInt) = (0, 0)
        guard controller >= 0, ioctl(controller, 0x4004_5431, &lock) == 0,
            ioctl(controller, 0x8004_5430, &number) == 0
        else { throw Errno(rawValue: errno) }
        path = "/dev/pts/\(number)"
        try resize(lines: lines, columns: columns)
    }

    /// Changes the size of the terminal.
    func resize(lines: Int, columns: Int) throws {
        var size = winsize(
            ws_row: UInt16(lines), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        guard ioctl(controller, UInt(TIOCSWINSZ), &size) == 0 else {
            throw Errno(rawValue: errno)
        }
    }

    deinit { close(controller) }

    /// Reads the terminal until no process has it open, and returns the output.
    func read() -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = Glibc.read(controller, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            if count <= 0 { break }
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self).replacing("\r\n", with: "\n")
    }
}
