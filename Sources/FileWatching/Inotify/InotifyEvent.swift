import Glibc

/// Event from inotify(7).
struct InotifyEvent: Equatable {
    /// Number of the watch, or -1 for an overflow.
    var watchNumber: CInt
    /// Kind of event.
    var mask: InotifyMask
    /// Name in the watched directory, or `nil` if the event concerns the watched file or directory itself.
    var name: [UInt8]?

    /// Event that reports that other events have been lost.
    static let overflow = InotifyEvent(watchNumber: -1, mask: .overflow, name: nil)

    /// Parses the events in a buffer that read(2) has filled.
    ///
    /// If the bytes at some point are not a valid event, the list ends with an overflow event.
    static func parse(_ bytes: UnsafeRawBufferPointer) -> [InotifyEvent] {
        var events: [InotifyEvent] = []
        var remainder = bytes[...]
        while !remainder.isEmpty {
            guard let event = parseFirst(of: &remainder) else { return events + [.overflow] }
            events.append(event)
        }
        return events
    }

    private static func parseFirst(of remainder: inout Slice<UnsafeRawBufferPointer>)
        -> InotifyEvent?
    {
        let headerSize = MemoryLayout<inotify_event>.size
        guard remainder.count >= headerSize else { return nil }
        let header = UnsafeRawBufferPointer(rebasing: remainder.prefix(headerSize))
        // The header consists of four 4-byte integers: the watch, the mask, a cookie and the length of the name.
        let watchNumber = header.loadUnaligned(fromByteOffset: 0, as: CInt.self)
        let mask = header.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
        let nameLength = Int(header.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
        remainder = remainder.dropFirst(headerSize)
        guard remainder.count >= nameLength else { return nil }
        // The name is padded with zeros.
        let name = [UInt8](remainder.prefix(nameLength)).prefix { $0 != 0 }
        remainder = remainder.dropFirst(nameLength)
        return InotifyEvent(
            watchNumber: watchNumber, mask: InotifyMask(rawValue: mask),
            name: name.isEmpty ? nil : Array(name))
    }
}
