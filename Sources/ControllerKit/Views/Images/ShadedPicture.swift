/// A drawing of the visible part of an image view's picture, in shaded characters.
struct ShadedPicture {
    private static let shades: [Character] = [" ", "░", "▒", "▓", "█"]
    /// Maximum number of drawn lines.
    private static let maximumLines = 1000

    private let image: Image?
    private let bounds: Rect
    private let center: Point
    private let inverseTransform: AffineTransform?
    private let width: Int
    private let height: Int

    init(_ view: ImageView) {
        image = view.image
        bounds = view.bounds
        center = view.center
        inverseTransform = view.transform.inverted
        width = Int(flooring: view.visibleSize.width).clamped(0, TextCanvas.maximumWidth)
        height = Int(flooring: view.visibleSize.height).clamped(0, Self.maximumLines)
    }

    func draw(on canvas: inout TextCanvas) {
        let width = min(width, canvas.width)
        guard let image else { return drawFrame(width, on: &canvas) }
        for line in 0..<height {
            canvas.line(String((0..<width).map { shade(of: image, column: $0, line: line) }))
        }
    }

    private func drawFrame(_ width: Int, on canvas: inout TextCanvas) {
        guard width >= 2, height >= 2 else { return }
        let rule = String(repeating: "─", count: width - 2)
        canvas.line("┌\(rule)┐")
        for _ in 0..<height - 2 {
            canvas.line("│\(String(repeating: " ", count: width - 2))│")
        }
        canvas.line("└\(rule)┘")
    }

    /// Returns the shade of the pixel that is nearest to the center of a character cell.
    private func shade(of image: Image, column: Int, line: Int) -> Character {
        let cellCenter = Point(x: Double(column) + 0.5 - center.x, y: Double(line) + 0.5 - center.y)
        guard let point = inverseTransform?.applied(to: cellCenter),
            let x = pixelIndex(point.x, bounds.size.width, image.width),
            let y = pixelIndex(point.y, bounds.size.height, image.height)
        else { return " " }
        let shadeIndex = image.brightness(x: x, y: y) * Double(Self.shades.count)
        return Self.shades[Int(flooring: shadeIndex).clamped(0, Self.shades.count - 1)]
    }

    /// Returns the index of the pixel at a given distance from the center of the bounds along one axis, or `nil` if the
    /// pixel is outside the bounds.
    private func pixelIndex(_ distance: Double, _ length: Double, _ pixelCount: Int) -> Int? {
        let fraction = distance / length + 0.5
        guard fraction >= 0, fraction < 1 else { return nil }
        return Int(flooring: fraction * Double(pixelCount)).clamped(0, pixelCount - 1)
    }
}
