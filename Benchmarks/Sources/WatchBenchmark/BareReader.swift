import DaemonClient
import Dispatch
import Glibc
import Synchronization

/// A program that does nothing but read what inotify(7) tells of a folder, on a thread of its own, and
/// notes when a file takes the name `data.archive` by a rename.
final class BareReader: Sendable {
    private let times = Mutex<[ContinuousClock.Instant]>([])
    private let signal = DispatchSemaphore(value: 0)

    init(folder: String) throws {
        let descriptor = inotify_init1(CInt(IN_CLOEXEC))
        guard descriptor >= 0,
            inotify_add_watch(descriptor, folder, UInt32(IN_MOVED_TO)) >= 0
        else { throw SystemError(call: "inotify", number: errno) }
        DispatchQueue(label: "BareReader").async { [self] in read(descriptor) }
    }

    private func read(_ descriptor: CInt) {
        let name = Array("data.archive".utf8)
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            let now = ContinuousClock.now
            guard count > 0 else { return }
            var offset = 0
            while offset + 16 <= count {
                let length = buffer[offset..<offset + 16].withUnsafeBytes {
                    Int($0.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
                }
                let found = buffer[offset + 16..<offset + 16 + length].prefix { $0 != 0 }
                if Array(found) == name {
                    times.withLock { $0.append(now) }
                    signal.signal()
                }
                offset += 16 + length
            }
        }
    }

    /// When the first rename was noticed that nobody has asked for yet.
    func next() -> ContinuousClock.Instant {
        signal.wait()
        return times.withLock { $0.removeFirst() }
    }

    /// Forgets what was noticed so far.
    func clear() {
        while signal.wait(timeout: .now()) == .success {
            times.withLock { _ = $0.removeFirst() }
        }
    }
}
