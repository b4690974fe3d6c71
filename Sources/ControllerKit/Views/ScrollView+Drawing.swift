import StateRestoration

extension ScrollView {
    /// Maximum number of drawn lines.
    private static let maximumLineCount = 1000.0

    func drawVisiblePart(on canvas: inout TextCanvas) {
        let visiblePart = visiblePart(in: canvas)
        let columns = visibleRange(
            visiblePart.offset.x, visiblePart.size.width, maximum: Double(TextCanvas.maximumWidth))
        let lines = visibleRange(
            visiblePart.offset.y, visiblePart.size.height, maximum: Self.maximumLineCount)
        let size = (
            columns: Int(flooring: visiblePart.contentSize.width.rounded(.up)),
            lines: Int(flooring: visiblePart.contentSize.height.rounded(.up))
        )
        var content = TextCanvas(width: max(size.columns, columns.count))
        drawnLayout = visiblePart.mapping?.drawnLayout
        drawContent(lines: max(0, lines.lowerBound)..<max(0, lines.upperBound), on: &content)
        drawnLayout = nil
        let blankLineCount = min(max(0, -lines.lowerBound), lines.count)
        let part = content.part(
            columns: columns, lines: -blankLineCount..<(lines.count - blankLineCount))
        canvas.append(part)
        if canvas.height != nil { canvas.visibleOrigin = visiblePart.offset }
        let visibleRangeTexts = [
            visibleRangeText(lines, of: size.lines),
            visibleRangeText(columns, of: size.columns).map { "columns \($0)" },
            zoomScale == 1 ? nil : "×\(zoomScale.shortText)",
        ].compactMap(\.self)
        guard !visibleRangeTexts.isEmpty else { return }
        canvas.centered("· \(visibleRangeTexts.joined(separator: " · ")) ·")
        canvas.addPart(.visibleRange)
    }

    /// Returns the part of the content that is visible in a drawing.
    ///
    /// In a drawing with a requested height, the view fills the remaining lines, but is not smaller than its own
    /// visible size.
    private func visiblePart(in canvas: TextCanvas) -> VisiblePart {
        guard let height = canvas.remainingHeight else {
            return VisiblePart(offset: contentOffset, size: visibleSize, contentSize: contentSize)
        }
        let mapping = lineMapping(columns: canvas.width)
        var part = VisiblePart(offset: contentOffset, contentSize: contentSize, mapping: mapping)
        part.size = Size(width: Double(canvas.width), height: Double(height))
        var minimumHeight = visibleSize.height
        if let mapping {
            let lineCount = mapping.drawnLayout.lines.count
            part.contentSize = Size(width: Double(canvas.width), height: Double(lineCount))
            part.offset.x *= visibleSize.width > 0 ? part.size.width / visibleSize.width : 1
            part.offset.y = drawnOffset(contentOffset.y, mapping)
            // The last lines must be visible at the largest offset, even if the drawing is narrower than the view.
            let lastOffset = drawnOffset(offsetBounds.largest.y, mapping)
            minimumHeight = max(minimumHeight, Double(lineCount) * zoomScale - lastOffset)
        } else {
            part.size.width = max(part.size.width, visibleSize.width)
            part.contentSize.height = drawnContentHeight(width: part.size.width)
        }
        let isEntireContentVisible =
            zoomScale == 1 && part.contentSize.height <= part.size.height
            && part.contentSize.width <= part.size.width
        // If some of the content is not visible, the last line states the visible range.
        if !isEntireContentVisible { part.size.height -= 1 }
        part.size.height = max(part.size.height, minimumHeight)
        let bounds = offsetBounds(of: part.contentSize, in: part.size)
        if let mapping, let line = lineToShow(in: mapping.drawnLayout) {
            let highestOffset = (Double(line) + 1) * zoomScale - part.size.height
            part.offset.y = part.offset.y.clamped(highestOffset, Double(line) * zoomScale)
        }
        part.offset.x = part.offset.x.clamped(bounds.smallest.x, bounds.largest.x)
        part.offset.y = part.offset.y.clamped(bounds.smallest.y, bounds.largest.y)
        return part
    }

    /// Returns the height at which unwrapped content is drawn when the view shows the given width.
    ///
    /// If the view is wider than the content, labels in the content wrap to fewer lines.
    private func drawnContentHeight(width: Double) -> Double {
        let columns = visibleRange(0, width, maximum: Double(TextCanvas.maximumWidth)).count
        guard Double(columns) > contentSize.width, contentSize.height <= Self.maximumLineCount
        else { return contentSize.height }
        var content = TextCanvas(width: columns)
        let lineCount = Int(flooring: contentSize.height.rounded(.up))
        drawContent(lines: 0..<lineCount, on: &content)
        return min(contentSize.height, Double(content.lines.count))
    }

    /// Converts an offset in the view's own layout to the offset in a drawing that shows the same text.
    private func drawnOffset(_ offset: Double, _ mapping: LineMapping) -> Double {
        offset < 0 ? offset : Double(mapping.drawnLine(at: offset / zoomScale)) * zoomScale
    }

    /// Scrolls on behalf of a user who sees the view in a drawing with a requested height.
    ///
    /// - Parameters:
    ///   - point: The point in the drawing's content to show in the upper-left corner.
    ///   - columns: The width of the view in the drawing.
    package func scroll(to point: Point, drawnColumns columns: Int) throws(OperationError) {
        let width = contentColumns(in: columns)
        guard let mapping = lineMapping(columns: width), point.isFinite else {
            return try scroll(to: point)
        }
        var point = point
        point.x *= visibleSize.width / Double(width)
        if point.y >= 0 {
            let line = index(at: point.y)
            point.y = mapping.viewPosition(ofDrawnLine: line) * zoomScale
        }
        try scroll(to: point)
    }

    /// Returns the line or column at an offset, with a tolerance for rounding errors.
    private func index(at offset: Double) -> Int { Int(flooring: offset / zoomScale + 1e-6) }

    /// Returns the visible part of the content along one axis.
    ///
    /// A zoom scale above 1 reduces the visible part. A zoom scale below 1 does not enlarge it, because text cannot be
    /// drawn smaller.
    private func visibleRange(_ offset: Double, _ extent: Double, maximum: Double) -> Range<Int> {
        let start = index(at: offset)
        let count = Int(flooring: min(extent, extent / zoomScale, maximum).rounded(.up))
        return start..<(start + max(count, 1))
    }

    /// Returns a description of the visible lines or columns, with one-based numbers, or `nil` if all of them are
    /// visible.
    private func visibleRangeText(_ range: Range<Int>, of count: Int) -> String? {
        guard range.upperBound > 0, range.lowerBound < count,
            range.lowerBound > 0 || range.upperBound < count
        else { return nil }
        let firstNumber = max(0, range.lowerBound) + 1
        let lastNumber = min(range.upperBound, count)
        return firstNumber < lastNumber
            ? "\(firstNumber)–\(lastNumber) of \(count)" : "\(min(firstNumber, count)) of \(count)"
    }
}

/// The part of a scroll view's content that is visible in a drawing.
private struct VisiblePart {
    /// The point in the zoomed content that is shown in the upper-left corner.
    var offset: Point
    /// The size of the visible part, in columns and lines.
    var size = Size.zero
    /// The size of the content before zooming.
    var contentSize: Size
    /// The mapping to the lines of the drawing, or `nil` if the content is not wrapped for the drawing.
    var mapping: LineMapping?
}

extension Double {
    /// Whether the number is a valid zoom scale.
    var isValidZoomScale: Bool { isFinite && self > 0 }

    /// The number as text, rounded to two decimal places, without a trailing `.0`.
    ///
    /// If rounding would result in 0, the number is not rounded.
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
