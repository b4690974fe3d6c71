extension PositionedNode {
    /// Returns this node with another one laid over it.
    ///
    /// Where both are mappings their keys are joined and equal keys are merged in the same way;
    /// anything else replaces what was there: lists are not joined, and a key without a value
    /// takes the value away. Every value keeps the position of the file it was written in.
    package func merging(_ overlay: PositionedNode) -> PositionedNode {
        guard case .mapping(var entries) = content, case .mapping(let added) = overlay.content
        else { return overlay }
        var indexes: [String: Int] = [:]
        for (index, entry) in entries.enumerated() { indexes[entry.key] = index }
        for entry in added {
            guard let index = indexes[entry.key] else {
                entries.append(entry)
                continue
            }
            let merged = entries[index].value.merging(entry.value)
            let isReplaced = merged.position == entry.value.position
            entries[index] = PositionedEntry(
                entry.key, at: isReplaced ? entry.keyPosition : entries[index].keyPosition, merged)
        }
        return PositionedNode(.mapping(entries), at: position)
    }
}
