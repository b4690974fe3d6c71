import Glibc

/// One event as inotify(7) tells it.
struct InotifyEvent: Equatable {
    /// The watch it is of; -1 for an overflow.
    var watch: CInt
    /// What happened.
    var mask: InotifyMask
    /// The name in the watched folder; nil if it is of the watched file or folder itself.
    var name: [UInt8]?

    /// Stands for events that were not told.
    static let overflow = InotifyEvent(watch: -1, mask: .overflow, name: nil)

    /// The events in what read(2) gave.
    ///
    /// What cannot be an event ends the list, and is told as an overflow.
    static func parse(_ bytes: UnsafeRawBufferPointer) -> [InotifyEvent] {
        var events: [InotifyEvent] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            guard let event = parseFirst(of: &rest) else { return events + [.overflow] }
            events.append(event)
        }
        return events
    }

    private static func parseFirst(of rest: inout Slice<UnsafeRawBufferPointer>) -> InotifyEvent? {
        let headerSize = MemoryLayout<inotify_event>.size
        guard rest.count >= headerSize else { return nil }
        let header = UnsafeRawBufferPointer(rebasing: rest.prefix(headerSize))
        // watch, mask, cookie and length of the name: four numbers of four bytes.
        let watch = header.loadUnaligned(fromByteOffset: 0, as: CInt.self)
        let mask = header.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
        let length = Int(header.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
        rest = rest.dropFirst(headerSize)
        guard rest.count >= length else { return nil }
        // Zeros fill the name up.
        let name = [UInt8](rest.prefix(length)).prefix { $0 != 0 }
        rest = rest.dropFirst(length)
        return InotifyEvent(
            watch: watch, mask: InotifyMask(rawValue: mask),
            name: name.isEmpty ? nil : Array(name))
    }
}
