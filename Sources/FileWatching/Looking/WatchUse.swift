/// What one watch of the kernel's tells one target.
struct WatchUse: Equatable {
    /// The names in the watched folder that matter; true: what happens to it happens to the target,
    /// false: it only is on the way.
    var names: [[UInt8]: Bool] = [:]
    /// The suffix of all names that matter besides.
    var suffix: [UInt8]?

    /// What an event of the watch tells of the target; nil if it is not of it.
    func changes(by event: InotifyEvent) -> FileChanges? {
        guard let name = event.name else {
            // Of a folder on the way they say nothing of the target: another look does.
            return suffix == nil
                ? event.mask.changes.subtracting(.attributes) : event.mask.changes
        }
        if let suffix, name.suffix(suffix.count) == suffix[...] { return event.mask.changes }
        return names[name].map { $0 ? event.mask.changes : [] }
    }
}
