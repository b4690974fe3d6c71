import ControllerKit
import FoundationEssentials
import StateRestoration
import Testing

@Suite struct ImageViewTests {
    /// Creates a picture whose pixels become brighter from left to right, in five shades.
    private static func image(_ width: Int, _ height: Int) throws -> Image {
        let line = (0..<width).map { UInt8($0 * 5 / width * 63) }
        let pixels = Array(repeating: line, count: height).flatMap(\.self)
        return try Image(data: Data("P5 \(width) \(height) 255\n".utf8) + Data(pixels))
    }

    private func view(_ width: Int, _ height: Int, seen: Size) throws -> ImageView {
        let view = ImageView()
        view.visibleSize = seen
        view.image = try Self.image(width, height)
        return view
    }

    @Test func `a view without an image is drawn as an empty frame`() {
        let view = ImageView()
        view.visibleSize = Size(width: 6, height: 3)
        #expect(lines(of: view, width: 8) == ["┌────┐  ", "│    │  ", "└────┘  "])
        #expect(throws: OperationError.notPossible("it has no picture")) { try view.zoom(to: 2) }
        #expect(throws: OperationError.notPossible("it has no picture")) {
            try view.scroll(to: .zero)
        }
        view.visibleSize = Size(width: 1e300, height: 1)
        #expect(lines(of: view, width: 8).isEmpty)
    }

    @Test(
        arguments: [
            (2, 2, ["┌┐      ", "└┘      "]),
            (6, 4, ["┌────┐  ", "│    │  ", "│    │  ", "└────┘  "]),
            (1, 2, []), (0, 3, []), (2, 1, []),
        ] as [(Double, Double, [String])])
    func `a frame has the size of the view, and is drawn only if it has four corners`(
        width: Double, height: Double, frame: [String]
    ) {
        let view = ImageView()
        view.visibleSize = Size(width: width, height: height)
        #expect(lines(of: view, width: 8) == frame)
    }

    @Test func `subviews of an image view are drawn below the picture`() {
        let view = ImageView()
        view.visibleSize = Size(width: 5, height: 2)
        view.addSubview(Label(text: "below"))
        #expect(lines(of: view, width: 5) == ["┌───┐", "└───┘", "below"])
    }

    @Test func `an image is drawn from its left edge`() throws {
        let view = ImageView()
        view.visibleSize = Size(width: 5, height: 1)
        view.image = try Image(data: Data("P5 4 1 255\n".utf8) + Data(repeating: 255, count: 4))
        #expect(lines(of: view, width: 5) == ["████ "])
    }

    @Test func `an image is drawn centered, in shades`() throws {
        #expect(
            lines(of: try view(5, 1, seen: Size(width: 9, height: 3)), width: 9) == [
                "         ", "   ░▒▓█  ", "         ",
            ])
        // The middle of a larger picture is visible.
        #expect(
            lines(of: try view(10, 2, seen: Size(width: 8, height: 1)), width: 10) == [" ░░▒▒▓▓█  "]
        )
    }

    @Test func `a canvas narrower than the view shows the left part of the image`()
        throws
    {
        let picture = try view(5, 1, seen: Size(width: 9, height: 1))
        #expect(lines(of: picture, width: 6) == ["   ░▒▓"])
        let frame = ImageView()
        frame.visibleSize = Size(width: 6, height: 3)
        #expect(lines(of: frame, width: 4) == ["┌──┐", "│  │", "└──┘"])
    }

    @Test func `zooming keeps the center and stays within the limits`() throws {
        let view = try view(10, 1, seen: Size(width: 10, height: 1))
        try view.zoom(to: 2)
        #expect(view.zoomScale == 2)
        #expect(lines(of: view, width: 10) == ["░░░▒▒▒▒▓▓▓"])
        try view.zoom(to: 100)
        #expect(view.zoomScale == view.maximumZoomScale)
        try view.zoom(to: 0.5)
        #expect(lines(of: view, width: 10) == ["   ░▒▓█   "])
        #expect(view.center == Point(x: 5, y: 0.5))
        try view.zoom(to: 0.0001)
        #expect(view.zoomScale == view.minimumZoomScale)
        for scale in [Double.nan, .infinity, 0, -1] {
            #expect(throws: OperationError.self) { try view.zoom(to: scale) }
            view.minimumZoomScale = scale
        }
        #expect(throws: OperationError.self) { try view.scroll(to: Point(x: .nan, y: 0)) }
        #expect(view.zoomScale == 0.25)
        #expect(view.minimumZoomScale == 0.25)
    }

    @Test func `an image can be scrolled only up to its edges`() throws {
        let view = try view(20, 4, seen: Size(width: 10, height: 8))
        try view.scroll(to: Point(x: 3, y: 9))
        #expect(view.center == Point(x: 7, y: 4))
        #expect(view.visibleOrigin.x == 3)
        try view.scroll(to: Point(x: -5, y: 0))
        #expect(view.center.x == 10)
        try view.scroll(to: Point(x: 1e300, y: 0))
        #expect(view.center.x == 0)
        #expect(lines(of: view, width: 10)[4] == "▒▒▓▓▓▓████")
        try view.scroll(to: Point(x: 10, y: 0))
        try view.zoom(to: 1.5)
        #expect(view.visibleOrigin.x == 17.5)
        try view.zoom(to: 0.5)
        #expect(view.center.x == 5)
    }

    @Test func `V5: bounds, center and transform are preserved`() throws {
        for isScrolled in [false, true] {
            let view = try view(20, 10, seen: Size(width: 10, height: 4))
            if isScrolled {
                try view.zoom(to: 3)
                try view.scroll(to: Point(x: 7, y: 5))
            } else {
                view.bounds = Rect(
                    origin: Point(x: 1, y: 2), size: Size(width: 30, height: 40))
                view.center = Point(x: -7, y: 1e6)
                view.transform = AffineTransform(a: 0, b: 2, c: -2, d: 0, tx: 1, ty: -1)
            }
            let found = try self.view(20, 10, seen: Size(width: 10, height: 4))
            try restore(view, into: found)
            #expect(found.bounds == view.bounds)
            #expect(found.center == view.center)
            #expect(found.transform == view.transform)
            #expect(lines(of: found) == lines(of: view))
        }
    }

    @Test func `V5: an image that is set after restoration appears as before`() throws {
        let view = try view(20, 10, seen: Size(width: 10, height: 4))
        try view.zoom(to: 2)
        try view.scroll(to: Point(x: 7, y: 5))
        let found = ImageView()
        found.visibleSize = view.visibleSize
        try restore(view, into: found)
        found.image = view.image
        #expect(lines(of: found) == lines(of: view))
        // A picture of a different size resets the zoom scale.
        found.image = try Self.image(30, 10)
        #expect(found.transform == .identity)
        #expect(found.bounds.size == Size(width: 30, height: 10))
    }

    @Test(arguments: [Double.nan, .infinity, 1e300, -1e300, 0])
    func `V5: an image can still be drawn if saved numbers are invalid or extreme`(number: Double)
        throws
    {
        final class ForgedImageView: ImageView {
            var forge: ((StateEncoder) -> Void)?
            override func encodeRestorableState(with coder: StateEncoder) throws {
                if let forge { forge(coder) } else { try super.encodeRestorableState(with: coder) }
            }
        }
        let forged = ForgedImageView()
        let point = Point(x: number, y: number)
        forged.forge = { coder in
            coder.encode(
                Rect(origin: point, size: Size(width: number, height: number)), forKey: "bounds")
            coder.encode(point, forKey: "center")
            coder.encode(
                AffineTransform(a: number, b: number, c: number, d: number, tx: number, ty: number),
                forKey: "transform")
        }
        let found = ForgedImageView()
        found.image = try Self.image(8, 8)
        try restore(forged, into: found)
        #expect(found.center.isFinite && found.transform.isFinite)
        #expect(lines(of: found, width: 40).count == 8)
        try found.zoom(to: 2)
        try found.scroll(to: .zero)
        #expect(lines(of: found, width: 40).count == 8)
        #expect(found.inspectedProperties["zoomScale"] != nil)
        if !number.isFinite {
            #expect(found.bounds.size == Size(width: 8, height: 8))
            #expect(found.zoomScale == 2)
        }
    }

    @Test func `V5: zooming by a factor too small to represent still reaches the requested scale`()
        throws
    {
        let view = try view(8, 8, seen: Size(width: 8, height: 8))
        view.minimumZoomScale = 1e-300
        view.transform = AffineTransform(scale: 1e300)
        try view.zoom(to: 1e-300)
        #expect(view.transform == AffineTransform(scale: 1e-300))
    }

    @Test func `V5: a zoom or scroll that would make the image too large changes nothing`() throws {
        let view = try view(8, 8, seen: Size(width: 8, height: 8))
        view.bounds = Rect(origin: .zero, size: Size(width: 1e308, height: 1e308))
        let center = view.center
        #expect(throws: OperationError.notPossible("the picture would be too large")) {
            try view.zoom(to: 4)
        }
        #expect(view.transform == .identity)
        #expect(view.center == center)
        view.transform = AffineTransform(scale: 4)
        #expect(throws: OperationError.notPossible("the picture would be too large")) {
            try view.scroll(to: .zero)
        }
        #expect(view.center == center)
    }

    @Test func `V5: the controller saves the image`() throws {
        final class Pictures: ViewController {
            let imageView = ImageView()
            override func viewDidLoad() {
                imageView.restorationIdentifier = "image"
                view.addSubview(imageView)
            }
            override func encodeRestorableState(with coder: StateEncoder) throws {
                try super.encodeRestorableState(with: coder)
                coder.encode(imageView.image?.data, forKey: "image")
            }
            override func decodeRestorableState(with coder: StateDecoder) throws {
                try super.decodeRestorableState(with: coder)
                imageView.image = try coder.decode(Data.self, forKey: "image").map(Image.init)
            }
        }
        let controller = Pictures.named("page")
        let first = TestApplication(controller)
        try first.launch()
        first.save()
        let scene = try #require(first.scene)
        controller.imageView.image = try Self.image(40, 20)
        #expect(scene.needsPass)
        let again = Pictures.named("page")
        let second = TestApplication(again)
        try second.launch()
        again.imageView.image = try Self.image(40, 20)
        try again.imageView.zoom(to: 2)
        second.save()
        let found = Pictures.named("page")
        try TestApplication(found).launch(restoring: second)
        #expect(found.imageView.image == again.imageView.image)
        #expect(found.imageView.transform == AffineTransform(scale: 2))
    }

    @Test func `storyboard properties are set, and invalid properties are rejected`() throws {
        let view = ImageView()
        try view.setProperty("visibleSize", to: .numbers([20, 6]))
        try view.setProperty("minimumZoomScale", to: .double(0.5))
        try view.setProperty("maximumZoomScale", to: .integer(3))
        view.image = try Self.image(4, 2)
        #expect(view.center == Point(x: 10, y: 3))
        #expect([view.minimumZoomScale, view.maximumZoomScale] == [0.5, 3])
        #expect(view.inspectedProperties["imageSize"] == .array([.integer(4), .integer(2)]))
        #expect(throws: PropertyError.self) {
            try view.setProperty("minimumZoomScale", to: .integer(0))
        }
        #expect(
            throws: PropertyError.unknownProperty(
                known: ["visibleSize", "minimumZoomScale", "maximumZoomScale", "isHidden"])
        ) {
            try view.setProperty("image", to: .string("x"))
        }
    }
}
