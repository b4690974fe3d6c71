import SavedState
import StateRestoration

/// A generation that holds what was saved when it was asked for.
struct KeptState: Equatable {
    /// Its path.
    var path: String
    /// Whether it was made then; else it was there and held the same.
    var isNew: Bool
}

extension ApplicationArchive {
    /// The path of the newest generation, if it holds just what is in memory: only the times of passes
    /// and the numbers of records may differ. Nil as well if that cannot be found out.
    var equalGeneration: String? {
        guard !isGenerationRequired, let contents, !contents.objects.isEmpty else { return nil }
        do {
            guard let newest = try generations().last else { return nil }
            let kept = try self.contents(ofGeneration: "\(newest.name)")
            guard kept.shortfall == nil else { return nil }
            let differences = StateComparison.differences(
                from: kept.contents.comparisonSide, to: contents.comparisonSide, limit: 1)
            return differences.isEmpty ? newest.path : nil
        } catch {
            return nil
        }
    }
}
