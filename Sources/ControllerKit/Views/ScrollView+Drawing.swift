import StateRestoration

extension ScrollView {
    /// Maximum number of drawn lines.
    private static let maximumLineCount = 1000.0

    func drawVisiblePart(on canvas: inout TextCanvas) {
        let columns = visibleRange(
            contentOffset.x, visibleSize.width, maximum: Double(TextCanvas.maximumWidth))
        let lines = visibleRange(
            contentOffset.y, visibleSize.height, maximum: Self.maximumLineCount)
        let size = (
            columns: Int(flooring: contentSize.width.rounded(.up)),
            lines: Int(flooring: contentSize.height.rounded(.up))
        )
        var content = TextCanvas(width: max(size.columns, columns.count))
        drawContent(lines: max(0, lines.lowerBound)..<max(0, lines.upperBound), on: &content)
        let blankLineCount = min(max(0, -lines.lowerBound), lines.count)
        let part = content.part(
            columns: columns, lines: -blankLineCount..<(lines.count - blankLineCount))
        canvas.append(part)
        let positionTexts = [
            positionText(lines, of: size.lines),
            positionText(columns, of: size.columns).map { "columns \($0)" },
            zoomScale == 1 ? nil : "×\(zoomScale.shortText)",
        ].compactMap(\.self)
        guard !positionTexts.isEmpty else { return }
        canvas.centered("· \(positionTexts.joined(separator: " · ")) ·")
        canvas.addPart(.position)
    }

    /// Returns the visible part of the content along one axis.
    ///
    /// A zoom scale above 1 reduces the visible part. A zoom scale below 1 does not enlarge it, because text cannot be
    /// drawn smaller.
    private func visibleRange(_ offset: Double, _ extent: Double, maximum: Double) -> Range<Int> {
        let start = Int(flooring: offset / zoomScale)
        let count = Int(flooring: min(extent, extent / zoomScale, maximum).rounded(.up))
        return start..<(start + max(count, 1))
    }

    /// Returns a description of the visible lines or columns, with one-based numbers, or `nil` if all of them are
    /// visible.
    private func positionText(_ range: Range<Int>, of count: Int) -> String? {
        guard count > 0, range.lowerBound > 0 || range.upperBound < count else { return nil }
        let firstNumber = max(0, range.lowerBound) + 1
        let lastNumber = min(range.upperBound, count)
        return firstNumber < lastNumber
            ? "\(firstNumber)–\(lastNumber) of \(count)" : "\(min(firstNumber, count)) of \(count)"
    }
}

extension Double {
    /// Whether the number is a valid zoom scale.
    var isValidZoomScale: Bool { isFinite && self > 0 }

    /// The number as text, rounded to two decimal places and without a trailing `.0`.
    ///
    /// A number that would be rounded to 0 is not rounded.
    var shortText: String {
        let hundredths = (self * 100).rounded()
        let number = hundredths.isFinite && hundredths != 0 ? hundredths / 100 : self
        let text = "\(number)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}

extension Size {
    /// Whether both the width and the height are finite and not negative.
    var isValidSize: Bool { width.isFinite && height.isFinite && width >= 0 && height >= 0 }
}

extension EdgeInsets {
    /// Whether all four insets are finite.
    var isFinite: Bool { top.isFinite && left.isFinite && bottom.isFinite && right.isFinite }
}
