import StateRestoration

extension ScrollView {
    /// Maximum number of drawn lines.
    private static let tallest = 1000.0

    func drawSeenPart(on canvas: inout TextCanvas) {
        let columns = seen(contentOffset.x, visibleSize.width, maximum: Double(TextCanvas.widest))
        let lines = seen(contentOffset.y, visibleSize.height, maximum: Self.tallest)
        let size = (
            columns: Int(whole: contentSize.width.rounded(.up)),
            lines: Int(whole: contentSize.height.rounded(.up))
        )
        var content = TextCanvas(width: max(size.columns, columns.count))
        drawContent(lines: max(0, lines.lowerBound)..<max(0, lines.upperBound), on: &content)
        let above = min(max(0, -lines.lowerBound), lines.count)
        let part = content.part(columns: columns, lines: -above..<(lines.count - above))
        canvas.append(part)
        let places = [
            place(lines, of: size.lines), place(columns, of: size.columns).map { "columns \($0)" },
            zoomScale == 1 ? nil : "×\(zoomScale.short)",
        ].compactMap(\.self)
        guard !places.isEmpty else { return }
        canvas.centered("· \(places.joined(separator: " · ")) ·")
        canvas.addPart(.position)
    }

    /// Returns the visible part of the content in one direction.
    ///
    /// A zoom scale above 1 reduces the visible part. A zoom scale below 1 does not enlarge it, because text cannot
    /// be drawn smaller.
    private func seen(_ offset: Double, _ extent: Double, maximum: Double) -> Range<Int> {
        let start = Int(whole: offset / zoomScale)
        let count = Int(whole: min(extent, extent / zoomScale, maximum).rounded(.up))
        return start..<(start + max(count, 1))
    }

    /// Returns a description of the visible lines or columns, with one-based numbers, or `nil` if everything is
    /// visible.
    private func place(_ seen: Range<Int>, of count: Int) -> String? {
        guard count > 0, seen.lowerBound > 0 || seen.upperBound < count else { return nil }
        let first = max(0, seen.lowerBound) + 1
        let last = min(seen.upperBound, count)
        return first < last ? "\(first)–\(last) of \(count)" : "\(min(first, count)) of \(count)"
    }
}

extension Double {
    /// Whether the number is a valid zoom scale.
    var isScale: Bool { isFinite && self > 0 }

    /// The number as text with at most two decimal places, or without decimal places if it is whole.
    var short: String {
        let hundreds = (self * 100).rounded()
        let number = hundreds.isFinite && hundreds != 0 ? hundreds / 100 : self
        let text = "\(number)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}

extension Size {
    /// Whether width and height are finite and not negative.
    var isExtent: Bool { width.isFinite && height.isFinite && width >= 0 && height >= 0 }
}

extension EdgeInsets {
    /// Whether all four insets are finite.
    var isFinite: Bool { top.isFinite && left.isFinite && bottom.isFinite && right.isFinite }
}
